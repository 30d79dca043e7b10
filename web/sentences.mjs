// Sentences stand beside the code that says them, T("…", "…"), and travel apart from it: Python writes words.json
// into the document, and the script keeps their numbers and what fills their gaps, __said(7, count).
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** The sentences of a source folder, numbered by their JSON, and the plugin that puts the numbers there. */
export function sentencesOf(folder) {
  const numbers = new Map();
  const paths = readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .sort();
  for (const name of paths) {
    const source = readFileSync(join(folder, name), "utf8");
    if (source.includes("__said") && name !== "said.ts") throw new Error(`${name} uses the name __said`);
    replaced(source, (pair) => {
      if (!numbers.has(pair)) numbers.set(pair, numbers.size);
      return 0;
    });
  }
  const apart = {
    name: "words",
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) =>
        relative(folder, path).startsWith("..")
          ? null
          : {
              contents: replaced(await readFile(path, "utf8"), (pair) => numbers.get(pair)),
              loader: path.endsWith("x") ? "tsx" : "ts",
            },
      );
    },
  };
  return { numbers, apart };
}

/** The source with each T(…, …) of texts as __said(number, …gaps); a T of anything else stays as it is. */
function replaced(source, numberOf) {
  let written = "";
  let from = 0;
  for (const call of source.matchAll(/\bT\(/g)) {
    if (call.index < from) continue; // within one that is done
    const gaps = [];
    const en = textAt(source, call.index + 2, gaps);
    const comma = en && after(source, en.end, ",");
    const zh = comma && textAt(source, comma, gaps);
    const end = zh && after(source, after(source, zh.end, ",") || zh.end, ")");
    if (!end) continue;
    const filled = gaps.map((gap) => `, ${replaced(gap, numberOf)}`).join("");
    const said = `__said(${numberOf(JSON.stringify([en.text, zh.text]))}${filled})`;
    written += source.slice(from, call.index) + said;
    from = end;
  }
  return written + source.slice(from);
}

const blank = (source, at) => at + /^\s*/.exec(source.slice(at))[0].length;

/** Past `sign` and the blanks before it; 0 where another stands there. */
function after(source, at, sign) {
  const place = blank(source, at);
  return source[place] === sign ? place + 1 : 0;
}

/** Strings and templates joined by +, as a text with gaps {0}, {1} …; null where anything else stands there. */
function textAt(source, start, gaps) {
  let text = "";
  let at = start;
  for (;;) {
    at = blank(source, at);
    const string = /^"(?:[^"\\\n]|\\.)*"/.exec(source.slice(at))?.[0];
    if (string) {
      text += JSON.parse(string);
      at += string.length;
    } else {
      const found = source[at] === "`" ? templateAt(source, at + 1, gaps) : null;
      if (!found) return null;
      text += found.text;
      at = found.end;
    }
    const plus = after(source, at, "+");
    if (!plus) return { text, end: at };
    at = plus;
  }
}

function templateAt(source, start, gaps) {
  let text = "";
  for (let at = start; at < source.length; at++) {
    if (source[at] === "`") return { text, end: at + 1 };
    if (source[at] === "\\") return null; // no sentence needs an escape
    if (!source.startsWith("${", at)) {
      text += source[at];
      continue;
    }
    const end = bracketed(source, at + 2);
    const gap = source.slice(at + 2, end).trim();
    if (!gaps.includes(gap)) gaps.push(gap);
    text += `{${gaps.indexOf(gap)}}`;
    at = end;
  }
  return null;
}

/** Where the bracket closes that was open before `start`; brackets within texts don't count. */
function bracketed(source, start) {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const sign = source[at];
    if (sign === '"' || sign === "'") at = source.indexOf(sign, at + 1);
    else if (sign === "`") at = templateAt(source, at + 1, []).end - 1;
    else if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign) && depth-- === 0) return at;
  }
  return source.length;
}
