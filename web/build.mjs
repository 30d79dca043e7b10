// Builds the page's script and style into the Python package, where they are committed.
// `node build.mjs` writes them; `node build.mjs --check` fails where the committed bytes are others.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { sentencesOf } from "./sentences.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const home = join(here, "..", "src", "clockhands", "web", "built");
const BUNDLED = ["preact", "@preact/signals", "@preact/signals-core"];
const MOST_GZIPPED = 45_000;

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  charset: "utf8",
  legalComments: "none",
};

const { numbers, apart } = sentencesOf(join(here, "src"));

async function bytesOf(options) {
  const { outputFiles } = await build({ ...shared, ...options });
  return Buffer.from(outputFiles[0].contents);
}

const script = await bytesOf({
  entryPoints: ["src/page.tsx"],
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  inject: ["src/said.ts"],
  plugins: [apart],
  banner: { js: "/* clockhands; with Preact and Preact Signals, see LICENCES.txt of the package */" },
});
const files = await bytesOf({
  entryPoints: ["src/files/reading.ts"],
  format: "iife",
  target: "es2022",
  inject: ["src/said.ts"],
  plugins: [apart],
});
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

const words = Buffer.from(`[\n${[...numbers.keys()].join(",\n")}\n]\n`);
const built = {
  "page.js": script,
  "files.js": files,
  "page.css": style,
  "words.json": words,
  "widget.js": widget,
  "LICENCES.txt": Buffer.from(licences.join("\n\n")),
};
const [gzipped, apartGzipped] = [script, files].map((each) => gzipSync(each, { level: 9 }).length);
console.log(
  `page.js ${script.length} bytes, ${gzipped} gzipped; files.js ${apartGzipped} gzipped; page.css ${style.length}, words.json ${words.length} bytes`,
);
if (gzipped > MOST_GZIPPED) {
  console.error(`page.js is ${gzipped} bytes gzipped, and ${MOST_GZIPPED} are allowed: leave something out`);
  process.exit(1);
}

for (const [name, bytes] of Object.entries(built)) {
  const path = join(home, name);
  if (!process.argv.includes("--check")) {
    await writeFile(path, bytes);
  } else if (!bytes.equals(await readFile(path).catch(() => Buffer.alloc(0)))) {
    console.error(`${name} as committed is not what its source gives: run make web and commit it`);
    process.exitCode = 1;
  }
}
