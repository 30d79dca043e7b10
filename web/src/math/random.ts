// Random numbers that are the same for a seed: for pictures that say "untrained, seed 0", nothing else.

/** `count` numbers of N(0, 1), by Box and Muller from Mulberry32. */
export function normals(count: number, seed: number): Float64Array {
  let state = (seed * 0x9e3779b1) >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const values = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    values[i] = radius * Math.cos(angle);
    if (i + 1 < count) values[i + 1] = radius * Math.sin(angle);
  }
  return values;
}
