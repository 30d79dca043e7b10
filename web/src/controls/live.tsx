// Text that follows the position without making its surroundings new.

export function Live({ text }: { text: () => string }) {
  return <>{text()}</>;
}
