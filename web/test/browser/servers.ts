// Notebook servers for tests: on this machine alone, with a token, in a folder of their own, always ended.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { folder, PYTHON, root } from "./browser";

const LONGEST_MS = 60_000;

export interface Server {
  /** With the token, as a browser opens it. */
  readonly url: string;
  readonly end: () => Promise<void>;
}

/** A port that nobody listens on now. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Folders that a server may write to, and nothing of the person who runs the tests. */
function surroundings(home: string): NodeJS.ProcessEnv {
  const own = (name: string) => {
    const path = join(home, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    ...process.env,
    PYTHONPATH: join(root, "src"),
    HOME: own("home"),
    XDG_CONFIG_HOME: own("xdg"),
    IPYTHONDIR: own("ipython"),
    JUPYTER_CONFIG_DIR: own("config"),
    JUPYTER_DATA_DIR: own("data"),
    JUPYTER_RUNTIME_DIR: own("runtime"),
    JUPYTERLAB_SETTINGS_DIR: own("settings"),
    JUPYTERLAB_WORKSPACES_DIR: own("workspaces"),
    MARIMO_SKIP_UPDATE_CHECK: "1",
  };
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((done) => server.once("exit", done));
  server.kill("SIGTERM");
  const stop = new AbortController();
  const patience = after(10_000, "slow", { signal: stop.signal }).catch(() => "stopped");
  if ((await Promise.race([gone, patience])) === "slow") server.kill("SIGKILL");
  stop.abort();
  await gone;
}

async function started(
  name: string,
  args: string[],
  home: string,
  ready: (server: ChildProcess) => Promise<string | undefined>,
): Promise<Server> {
  const server = spawn(PYTHON, args, { env: surroundings(home), stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => server.kill("SIGKILL")); // whatever becomes of the test
  let said = "";
  for (const stream of [server.stdout, server.stderr])
    stream?.on("data", (part) => {
      said = (said + part).slice(-4000);
    });
  const late = Date.now() + LONGEST_MS;
  while (Date.now() < late && server.exitCode === null) {
    const url = await ready(server);
    if (url) return { url, end: () => ended(server) };
    await after(100);
  }
  await ended(server);
  throw new Error(`${name} did not start: ${said}`);
}

const answers = (url: string) =>
  fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );

/** JupyterLab in dark colours, opened at a notebook with these cells of code. */
export async function jupyterLab(name: string, codes: string[]): Promise<Server> {
  const home = join(folder, "lab");
  const work = join(home, "work");
  const settings = join(home, "settings", "@jupyterlab", "apputils-extension");
  for (const path of [work, settings]) mkdirSync(path, { recursive: true });
  writeFileSync(join(settings, "themes.jupyterlab-settings"), '{ "theme": "JupyterLab Dark" }');
  const quiet = '{ "fetchNews": "false", "checkForUpdates": false }';
  writeFileSync(join(settings, "notification.jupyterlab-settings"), quiet);
  const cells = codes.map((source, index) => ({
    cell_type: "code",
    execution_count: null,
    id: `cell-${index}`,
    metadata: {},
    outputs: [],
    source,
  }));
  const metadata = { kernelspec: { display_name: "Python 3", language: "python", name: "python3" } };
  const notebook = JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 });
  writeFileSync(join(work, `${name}.ipynb`), notebook);
  const token = randomBytes(24).toString("hex");
  const args = [
    ...["-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"],
    ...[
      `--ServerApp.port=${await freePort()}`,
      "--ServerApp.port_retries=20",
      `--ServerApp.root_dir=${work}`,
    ],
    ...[`--IdentityProvider.token=${token}`, "--ServerApp.terminals_enabled=False"],
    ...["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
    "--LabApp.extension_manager=readonly",
  ];
  return started("JupyterLab", args, home, async ({ pid }) => {
    const told = join(home, "runtime", `jpserver-${pid}.json`);
    if (!existsSync(told)) return undefined;
    const { port } = JSON.parse(readFileSync(told, "utf8") || "{}");
    const url = `http://127.0.0.1:${port}/`;
    const ready = port && (await answers(`${url}api?token=${token}`));
    return ready ? `${url}lab/tree/${name}.ipynb?token=${token}` : undefined;
  });
}

/** A marimo notebook of ours, run as an app. */
export async function marimo(name: string): Promise<Server> {
  const home = join(folder, "marimo");
  mkdirSync(home, { recursive: true });
  const token = randomBytes(24).toString("hex");
  const port = await freePort();
  const args = [
    ...["-m", "marimo", "--quiet", "run", join(root, "notebooks", name), "--headless"],
    ...["--host=127.0.0.1", `--port=${port}`, "--token", `--token-password=${token}`],
  ];
  const url = `http://127.0.0.1:${port}/`;
  return started("marimo", args, home, async () =>
    (await answers(`${url}health`)) ? `${url}?access_token=${token}` : undefined,
  );
}
