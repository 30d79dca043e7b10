// Tokens that belong together, as whole characters or as words: which they are, and what a head gives them.

import { T, type Text } from "../words";
import type { Sentence, Span } from "./read";
import type { Row } from "./weights";

export const UNITS = ["pieces", "characters", "words"] as const;
export type Unit = (typeof UNITS)[number];

/** The first token of each group, and one past the last token of all. */
export type Starts = readonly number[];

/** Each way of grouping that joins something, by its name; pieces as they are come first. */
export function waysOf(one: Sentence): ReadonlyMap<Unit, Starts> {
  const pieces = Array.from({ length: one.tokens.length + 1 }, (_, n) => n);
  const found = new Map<Unit, Starts>([["pieces", pieces]]);
  if (!one.spans.length) return found;
  const characters = joined(one, []);
  if (characters.length < pieces.length) found.set("characters", characters);
  const words = joined(one, one.words.length ? one.words : wordsOf(one.text));
  if (words.length < characters.length) found.set("words", words);
  return found;
}

/** Words of a text as the browser cuts it, where the file names none: `[start, end]` in characters. */
function wordsOf(text: string): Span[] {
  if (!Intl.Segmenter) return [];
  let end = 0;
  const found: Span[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter("zh", { granularity: "word" }).segment(text)) {
    const start = end;
    end += [...segment].length;
    if (isWordLike) found.push([start, end]);
  }
  return found;
}

/** A token joins the one before where both share a character, or a word. */
function joined({ spans, marks }: Sentence, words: readonly Span[]): Starts {
  const starts: number[] = [];
  let reach = -1; // up to which character what was begun goes on
  let word = 0;
  spans.forEach(([start, end], n) => {
    const apart = marks[n] > 0 || start === end;
    if (apart || start >= reach) starts.push(n);
    reach = apart ? -1 : Math.max(reach, end);
    if (apart) return;
    while (words[word] && words[word][1] <= start) word++;
    for (let k = word; words[k] && words[k][0] < end; k++) reach = Math.max(reach, words[k][1]);
  });
  return [...starts, spans.length];
}

/** The sentence with a token for each group. */
export function grouped(one: Sentence, starts: Starts): Sentence {
  if (starts.length > one.tokens.length) return one;
  const signs = [...one.text];
  const first = starts.slice(0, -1);
  const label = (start: number, k: number) => {
    const last = starts[k + 1] - 1;
    if (last === start) return one.tokens[start];
    return signs.slice(one.spans[start][0], one.spans[last][1]).join("").trim() || one.tokens[start];
  };
  return {
    ...one,
    tokens: first.map(label),
    ids: [],
    positions: first.map((start) => one.positions[start]),
    marks: first.map((start) => one.marks[start]),
  };
}

/** Weights between groups: of a query's pieces the mean, of a key's the sum, so that a row still sums to one. */
export function groupedRow(row: Row, starts: Starts): Row {
  const weights = new Float64Array(starts[starts.length - 1]);
  return (i, from, to, into) => {
    into.fill(Number.NaN, 0, to - from);
    const queries = starts[i + 1] - starts[i];
    for (let query = starts[i]; query < starts[i + 1]; query++) {
      row(query, starts[from], starts[to], weights);
      for (let group = from; group < to; group++) {
        for (let key = starts[group]; key < starts[group + 1]; key++) {
          const weight = weights[key - starts[from]];
          if (Number.isNaN(weight)) continue;
          const before = into[group - from];
          into[group - from] = (Number.isNaN(before) ? 0 : before) + weight / queries;
        }
      }
    }
  };
}

/** What is said of a head that has no place of its own. */
export const EVEN = T("all alike", "处处差不多");
const HABITS = [
  T("the token before", "前一个词元"),
  T("itself", "自己"),
  T("the token after", "后一个词元"),
  T("the first token", "第一个词元"),
  T("what came after the same token", "同一词元上次出现后的那个词元"),
  EVEN,
];
const ASKED = 24; // queries
const FEWEST = 3; // that could show a habit
const MOSTLY = 0.5; // of the weight
const EVENLY = 0.9; // of the tokens that it could look at

interface Habit {
  readonly name: Text;
  readonly share: number;
}

/** Where a head puts more than half of its weight, over some queries, and how much; null where nowhere by itself. */
export function habitOf(row: Row, { tokens, marks }: Sentence, first: number): Habit | null {
  const count = tokens.length;
  const all = Array.from(tokens.keys()).filter((n) => marks[n] < 2 && n > first + 1);
  const step = Math.max(1, Math.floor(all.length / (count > 1024 ? ASKED / 3 : ASKED)));
  const sums = HABITS.map(() => [0, 0]); // of weights, and of queries
  const weights = new Float64Array(count);
  for (let n = 0; n < all.length; n += step) {
    const i = all[n];
    row(i, 0, count, weights);
    const add = (habit: number, ...keys: number[]) => {
      if (!keys.some((j) => weights[j] >= 0)) return;
      sums[habit][0] += keys.reduce((sum, j) => sum + (weights[j] || 0), 0);
      sums[habit][1]++;
    };
    [i - 1, i, i + 1, first].forEach((j, habit) => {
      add(habit, j);
    });
    add(4, ...all.filter((j) => j < i && tokens[j - 1] === tokens[i]));
    const seen = weights.filter((weight) => weight >= 0);
    const spread = seen.reduce((sum, weight) => (weight > 0 ? sum - weight * Math.log(weight) : sum), 0);
    sums[5][0] += Math.exp(spread) > EVENLY * seen.length ? 1 : 0;
    sums[5][1]++;
  }
  const shares = sums.map(([sum, queries]) => (queries < FEWEST ? 0 : sum / queries));
  const most = shares.indexOf(Math.max(...shares));
  return shares[most] > MOSTLY ? { name: HABITS[most], share: shares[most] } : null;
}
