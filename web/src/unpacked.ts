// What lies compressed in the document, by its name.

export function unpacked(name: string): Promise<string> {
  const text = document.getElementById(`clockhands-${name}`)!.textContent!;
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
