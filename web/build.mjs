// Builds the page's script and style into the Python package, where they are committed.
// `node build.mjs` writes them; `node build.mjs --check` fails where the committed bytes are others;
// `node build.mjs --named FOLDER` writes them there with all names as in the source, for a profile.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { sentencesOf } from "./sentences.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const home = join(here, "..", "src", "clockhands", "web", "built");
const BUNDLED = ["preact", "@preact/signals", "@preact/signals-core"];
const named =
  process.argv.indexOf("--named") < 0 ? undefined : process.argv[process.argv.indexOf("--named") + 1];
const MOST_GZIPPED = 45_000; // of what runs when the page opens
const MOST_IN_ALL = 68_000; // with what runs when it is asked for

const shared = {
  absWorkingDir: here,
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: named === undefined,
  write: false,
  charset: "utf8",
  legalComments: "none",
};

const { numbers, apart } = sentencesOf(join(here, "src"));

// What later.js takes from page.js instead of holding it again: names of packages and of files in src/.
const SHARED = {
  preact: ["Fragment"],
  "preact/hooks": ["useEffect", "useMemo", "useRef"],
  "preact/jsx-runtime": ["Fragment", "jsx", "jsxs"],
  "@preact/signals": ["batch", "computed", "signal", "useComputed", "useSignal"],
  "controls/live": ["Live"],
  "controls/settings": ["Setting"],
  "controls/table": ["Table"],
  "controls/transport": ["Transport"],
  "draw/canvas": ["Canvas", "FONT"],
  "draw/cells": ["cells", "legend"],
  "draw/palette": ["handColours", "LINES", "palette", "sizeRamp"],
  "draw/plot": ["axes", "dot", "frameOf", "line", "linear", "path"],
  "export/save": ["handOver"],
  "lesson/codes": ["codes", "stepsOf"],
  "lesson/dials": ["dialsOf", "moved", "turned"],
  "lesson/maps": ["COUNT", "projected", "wordsOf"],
  "lesson/shuffle": ["ORDERS", "outputs", "WORDS"],
  "math/biases": ["alibiSlopes"],
  "math/exact": ["TURN", "turnAt"],
  "math/frequencies": [
    "byPartsInvFreq", "defaultInvFreq", "dynamicNtkInvFreq", "linearInvFreq", "longropeAttentionFactor",
    "longropeInvFreq", "ntkInvFreq", "proportionalInvFreq", "sinusoidInvFreq", "yarnAttentionFactor", "yarnInvFreq",
  ], // biome-ignore format: a list
  "math/ladder": ["bent", "FASTEST", "GAP", "SLOWEST", "written", "LINEAR_END", "movingHands", "alongLayers"],
  "math/precision": ["angleError", "distinctPositions", "PRECISIONS", "rounded"],
  "math/random": ["normals"],
  "math/spectrum": ["neverSeen", "turnsWithin", "wavelength"],
  scene: ["designed"],
  "schemes/design": ["ladderOf"],
  "schemes/queries": ["amplitudes", "handAt"],
  "state/fields": ["FIELDS"],
  "state/state": ["setText"],
  "views/clock": ["clock"],
  "views/heatmap": ["written"],
  "views/kernel": ["kernel", "linesOf", "spanOf", "valueAt"],
  "views/map": ["hatch"],
  "views/odometer": ["picked"],
  "views/pairs": ["share"],
  "views/precision": ["placesOf", "precision"],
  "views/score": ["score"],
  "views/shown": ["Shown"],
  text: ["exactly", "fill", "fixed", "number", "percent", "same", "T"],
  words: ["exactly", "fill", "fixed", "language", "number", "percent", "same", "say", "T"],
};
const inSource = (name) => !/^(preact|@)/.test(name);
const held = Object.entries(SHARED).map(([name, exports], n) => {
  const from = inSource(name) ? `./src/${name}` : name;
  return [
    `import * as s${n} from "${from}";`,
    `${n}: { ${exports.map((each) => `${each}: s${n}.${each}`)} }`,
  ];
});
const entry = `import "./src/page";
${held.map(([line]) => line).join("\n")}
import { __said } from "./src/said";
globalThis.__said = __said;
globalThis.clockhandsShared = { ${held.map(([, each]) => each).join(", ")} };`;
const taken = {
  name: "taken",
  setup(build) {
    const paths = Object.keys(SHARED).map((name) => (inSource(name) ? join(here, "src", name) : name));
    build.onResolve({ filter: /.*/ }, ({ path, resolveDir }) => {
      const asked = path.startsWith(".") ? join(resolveDir, path) : path;
      const n = paths.indexOf(asked);
      return n < 0 ? undefined : { path: String(n), namespace: "shared" };
    });
    build.onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
      contents: `export const { ${Object.values(SHARED)[Number(path)]} } = globalThis.clockhandsShared[${path}];`,
    }));
  },
};

async function bytesOf(options) {
  const { outputFiles } = await build({ ...shared, ...options });
  return Buffer.from(outputFiles[0].contents);
}

const script = await bytesOf({
  stdin: { contents: entry, resolveDir: here, loader: "js" },
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  inject: ["src/said.ts"],
  plugins: [apart],
  banner: { js: "/* clockhands; with Preact and Preact Signals, see LICENCES.txt of the package */" },
});
const later = await bytesOf({
  entryPoints: ["src/later.ts"],
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [taken, apart],
});
const start = await bytesOf({ entryPoints: ["src/start.ts"], format: "iife", target: "es2022" });
const widget = await bytesOf({ entryPoints: ["src/widget.ts"], format: "esm", target: "es2022" });
const style = await bytesOf({
  entryPoints: ["src/style.css"],
  target: ["chrome111", "firefox113", "safari16.4"],
});
const licences = await Promise.all(
  BUNDLED.map(async (name) => {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${(await readFile(join(folder, "LICENSE"), "utf8")).trim()}\n`;
  }),
);

// What a link may name, for those who make links: the names alone.
const settings = await bytesOf({ entryPoints: ["src/state/fields.ts"], format: "esm", target: "es2022" });
const { FIELDS } = await import(`data:text/javascript;base64,${settings.toString("base64")}`);

// All English, then all Chinese: so they pack best.
const pairs = [...numbers.keys()].map((pair) => JSON.parse(pair));
const said = [0, 1].map((k) => pairs.map((pair) => pair[k]));
const words = Buffer.from(`${JSON.stringify(said).replaceAll('","', '",\n"')}\n`);
const built = {
  "start.js": start,
  "page.js": script,
  "later.js": later,
  "page.css": style,
  "words.json": words,
  "fields.json": Buffer.from(`${JSON.stringify(Object.keys(FIELDS))}\n`),
  "widget.js": widget,
  "LICENCES.txt": Buffer.from(licences.join("\n\n")),
};
const sizes = [start, script, later].map((each) => gzipSync(each, { level: 9 }).length);
const [first, opening] = sizes;
const inAll = sizes.reduce((sum, size) => sum + size, 0);
console.log(`gzipped: start.js ${first}, page.js ${opening}, later.js ${sizes[2]}, in all ${inAll} bytes`);
if (named === undefined && (first + opening > MOST_GZIPPED || inAll > MOST_IN_ALL)) {
  console.error(
    `at most ${MOST_GZIPPED} bytes are allowed when the page opens, ${MOST_IN_ALL} in all: leave something out`,
  );
  process.exit(1);
}

for (const [name, bytes] of Object.entries(built)) {
  const path = join(named ?? home, name);
  if (!process.argv.includes("--check")) {
    await writeFile(path, bytes);
  } else if (!bytes.equals(await readFile(path).catch(() => Buffer.alloc(0)))) {
    console.error(`${name} as committed is not what its source gives: run make web and commit it`);
    process.exitCode = 1;
  }
}
