// Biases by distance: clockhands.formulas.slopes and .buckets, restated.

/** ALiBi's slope of each head, logits / token, in the order the published models use. */
export function alibiSlopes(heads: number): Float64Array {
  const below = 2 ** Math.floor(Math.log2(heads));
  return Float64Array.from({ length: heads }, (_, h) =>
    h < below ? 2 ** ((-8 * (h + 1)) / below) : 2 ** ((-4 * (2 * (h - below) + 1)) / below),
  );
}

/** The smallest distance in each logarithmic bucket after the first such bucket, in exact integers. */
export function t5Thresholds(buckets: number, maxDistance: number, bidirectional: boolean): number[] {
  const oneWay = bidirectional ? Math.floor(buckets / 2) : buckets;
  const exact = Math.floor(oneWay / 2);
  const count = oneWay - exact;
  return Array.from({ length: Math.max(count - 1, 0) }, (_, j) =>
    ceilingRoot(
      BigInt(maxDistance) ** BigInt(j + 1) * BigInt(exact) ** BigInt(count - j - 1),
      count,
      exact,
      maxDistance,
    ),
  );
}

/** The bucket of each distance (query - key): exact near by, then logarithmically wider; keys ahead apart. */
export function t5Bucketing(
  buckets: number,
  maxDistance: number,
  bidirectional: boolean,
): (distance: number) => number {
  const oneWay = bidirectional ? Math.floor(buckets / 2) : buckets;
  const exact = Math.floor(oneWay / 2);
  const thresholds = t5Thresholds(buckets, maxDistance, bidirectional);
  return (distance) => {
    const reach = bidirectional ? Math.abs(distance) : Math.max(distance, 0);
    let bucket = Math.min(reach, exact);
    for (const threshold of thresholds) if (reach >= threshold) bucket++;
    return bidirectional && distance < 0 ? bucket + oneWay : bucket;
  };
}

// The smallest integer r in low .. high with r ** degree >= value.
function ceilingRoot(value: bigint, degree: number, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (BigInt(middle) ** BigInt(degree) >= value) to = middle;
    else from = middle + 1;
  }
  return from;
}
