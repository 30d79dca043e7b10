// What lies compressed in the document, by its name: gzip, five signs for four bytes (RFC 1924, with signs that HTML
// has no use for).

const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_`{|}~";

export function unpacked(name: string): Promise<string> {
  const text = document.getElementById(`clockhands-${name}`)!.textContent!;
  const digits = new Uint8Array(128);
  for (const [digit, sign] of [...SIGNS].entries()) digits[sign.charCodeAt(0)] = digit;
  const words = Math.ceil(text.length / 5);
  const view = new DataView(new ArrayBuffer(4 * words));
  const padded = text.padEnd(5 * words, "~");
  for (let k = 0; k < words; k++) {
    let word = 0;
    for (let at = 5 * k; at < 5 * k + 5; at++) word = 85 * word + digits[padded.charCodeAt(at)];
    view.setUint32(4 * k, word);
  }
  const bytes = new Uint8Array(view.buffer, 0, text.length - words);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

declare global {
  var clockhandsUnpacked: typeof unpacked; // for the page's own script, which start.js unpacks
}
