// Firefox, driven by WebDriver BiDi: the browser itself listens for it, so nothing stands between but a socket.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";

/** Where Firefox is; null where there is none. One that is named in FIREFOX must be there. */
export function firefoxPath(): string | null {
  const { FIREFOX } = process.env;
  if (FIREFOX && !existsSync(FIREFOX)) throw new Error(`no Firefox at ${FIREFOX}, which FIREFOX names`);
  const places = [FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"];
  return places.find((place) => place && existsSync(place)) ?? null;
}

// All that is asked of the network goes to a proxy that isn't there: a test leaves no machine.
const PREFERENCES = {
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
};

interface Answer {
  readonly id?: number;
  readonly type: "success" | "error" | "event";
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly message?: string;
}

/** A function as a page gets it: its text, and arguments as JSON. */
type Call = <A extends unknown[], R>(work: (...given: A) => R, ...given: A) => Promise<Awaited<R>>;

export class Firefox {
  /** Everything that the page asked of the network, said on the console, or threw. */
  readonly noise: string[] = [];
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private context = "";
  private count = 0;
  private file = "";

  private constructor(
    private readonly process: ChildProcess,
    private readonly socket: WebSocket,
    private readonly profile: string,
  ) {
    socket.on("message", (data) => this.take(JSON.parse(String(data))));
  }

  static async launch(path: string): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), "clockhands-firefox-"));
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
    );
    writeFileSync(join(profile, "user.js"), lines.join("\n"));
    const given = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
    const started = spawn(path, given, { stdio: ["ignore", "ignore", "pipe"] });
    const address = await new Promise<string>((found, failed) => {
      let said = "";
      started.stderr.on("data", (data) => {
        said += data;
        const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
        if (url) found(`${url}/session`);
      });
      started.on("error", failed);
      started.on("exit", () => failed(new Error(`Firefox ended by itself: ${said}`)));
    });
    const socket = new WebSocket(address);
    await new Promise((opened, failed) => socket.on("open", opened).on("error", failed));
    const firefox = new Firefox(started, socket, profile);
    await firefox.send("session.new", { capabilities: {} });
    const events = ["log.entryAdded", "network.beforeRequestSent"];
    await firefox.send("session.subscribe", { events });
    // What the page may not do is said to the developer tools alone, unless a script passes it on.
    await firefox.send("script.addPreloadScript", {
      functionDeclaration: `() => addEventListener("securitypolicyviolation",
        (event) => console.error("refused by", event.violatedDirective))`,
    });
    const { context } = await firefox.send<{ context: string }>("browsingContext.create", { type: "tab" });
    firefox.context = context;
    return firefox;
  }

  async goto(url: string): Promise<void> {
    this.file = url.split("#")[0];
    for (const each of ["about:blank", url]) // another fragment alone would keep what was there
      await this.send("browsingContext.navigate", { context: this.context, url: each, wait: "complete" });
    await this.until(() => document.querySelector("main button") !== null);
  }

  /** What a function gives in the page; it may be a promise, and must be JSON. */
  readonly call: Call = async (work, ...given) => {
    const { result, exceptionDetails } = await this.send<{
      result?: { value?: string };
      exceptionDetails?: { text: string };
    }>("script.evaluate", {
      expression: `(async () => JSON.stringify(await (${work})(...${JSON.stringify(given)})))()`,
      target: { context: this.context },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value === undefined ? undefined : JSON.parse(result.value);
  };

  /** Until a function gives true in the page. */
  async until<A extends unknown[]>(work: (...given: A) => boolean, ...given: A): Promise<void> {
    const end = performance.now() + 10_000;
    while (!(await this.call(work, ...given))) {
      if (performance.now() > end) throw new Error(`never came true: ${work}`);
    }
  }

  /** Until what was just done is on the screen. */
  async rendered(): Promise<void> {
    await this.call(
      () => new Promise<null>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
    );
  }

  async press(...keys: string[]): Promise<void> {
    const actions = keys.flatMap((value) => ["keyDown", "keyUp"].map((type) => ({ type, value })));
    await this.send("input.performActions", {
      context: this.context,
      actions: [{ type: "key", id: "keyboard", actions }],
    });
    await this.rendered();
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.process.removeAllListeners("exit").on("exit", done));
    await this.send("browser.close", {});
    await ended;
    rmSync(this.profile, { recursive: true, force: true });
  }

  private async send<T>(method: string, params: object): Promise<T> {
    const id = ++this.count;
    const answered = new Promise<Answer>((done) => this.waiting.set(id, done));
    this.socket.send(JSON.stringify({ id, method, params }));
    const answer = await answered;
    if (answer.type === "error") throw new Error(`${method}: ${answer.message}`);
    return answer.result as T;
  }

  private take({ id, method, params, ...rest }: Answer): void {
    if (id !== undefined) {
      this.waiting.get(id)?.({ id, ...rest });
      this.waiting.delete(id);
    } else if (method === "log.entryAdded") {
      const { level, text } = params as { level: string; text: string };
      this.noise.push(`${level} ${text}`);
    } else if (method === "network.beforeRequestSent") {
      const { context, request } = params as { context: string; request: { url: string } };
      const asked = request.url.split("#")[0];
      if (
        context === this.context &&
        ![this.file, "about:blank"].includes(asked) &&
        !asked.startsWith("data:")
      )
        this.noise.push(`request ${request.url.slice(0, 200)}`);
    }
  }
}

/** Keys that have no letter (WebDriver, "Keyboard actions"). */
export const KEY = { Tab: "\uE004", Enter: "\uE007", Right: "\uE014", End: "\uE010" };
