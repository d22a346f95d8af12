// The client against a server: every operation, every status, the README and the examples.
//
//   LEADLINE_BINARY=... LEADLINE_PROVIDERS=... node --test build/test/live.js
//
// LEADLINE_BINARY is the leadline to start, LEADLINE_PROVIDERS the address of the simulator.
// RUNTIMES are more programs that call every operation, such as "bun, deno run -A".
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import {
  AuthenticationError,
  InvalidRequestError,
  Leadline,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnavailableError,
} from "leadline";
import { callEverything, until } from "./contract.js";
import { openPage } from "./page.js";
import { rejection } from "./server.js";

const { LEADLINE_BINARY: binary = "", LEADLINE_PROVIDERS: providers = "" } = process.env;
const scopes = "raw:read,decision:read,usage:read,webhook:read,webhook:write";
const run = promisify(execFile);
const built = (path: string) => new URL(`../${path}`, import.meta.url).pathname;

let server: Awaited<ReturnType<typeof start>>;
let apiKey: string;
let env: NodeJS.ProcessEnv;

before(async () => {
  assert.ok(binary && providers, "set LEADLINE_BINARY and LEADLINE_PROVIDERS");
  server = await start(providers);
  apiKey = server.key("pro", scopes);
  const own = { LEADLINE_BASE_URL: server.baseUrl, LEADLINE_API_KEY: apiKey };
  env = { ...process.env, ...own };
});
after(() => server?.stop());

test("every operation returns what its schema says", async () => {
  await callEverything(server.baseUrl, server.key("pro", scopes));
});

for (const runtime of process.env.RUNTIMES?.split(",") ?? []) {
  test(`every operation returns what its schema says with ${runtime}`, async () => {
    const [program = "", ...options] = runtime.trim().split(" ");
    const own = { ...env, LEADLINE_API_KEY: server.key("pro", scopes) };
    const args = [...options, built("test/contract.js")];
    const { stdout } = await run(program, args, { env: own });
    assert.match(stdout, /^ok: \d+ operations$/m);
  });
}

test("each refusal of the server is its error", async () => {
  const { baseUrl } = server;
  const client = new Leadline({ baseUrl, apiKey, maxRetries: 0 });
  const error = (call: Promise<unknown>) => rejection(call);
  const wrong = await error(client.stations.predictions("8443970", { hours: 999 }));
  assert.ok(wrong instanceof InvalidRequestError);
  assert.equal(wrong.issues[0]!.path, "hours");
  assert.match(wrong.message, /\(request [0-9a-f-]{36}\)$/);
  const anonymous = new Leadline({ baseUrl, apiKey: () => "" });
  assert.ok((await error(anonymous.usage.get())) instanceof AuthenticationError);
  const unknown = new Leadline({ baseUrl, apiKey: `ldl_live_${"x".repeat(46)}` });
  assert.ok((await error(unknown.usage.get())) instanceof AuthenticationError);
  const narrow = new Leadline({ baseUrl, apiKey: server.key("pro", "raw:read") });
  assert.ok((await error(narrow.usage.get())) instanceof PermissionDeniedError);
  assert.ok((await error(client.stations.get("0000000"))) instanceof NotFoundError);
  const slow = new Leadline({ baseUrl, apiKey: server.key("slow", "raw:read"), maxRetryWait: 0 });
  await slow.stations.get("8443970");
  await slow.stations.get("8443970");
  const limited = await error(slow.stations.get("8443970"));
  assert.ok(limited instanceof RateLimitError);
  assert.equal(limited.code, "rate_limited");
  assert.ok(limited.retryAfter! >= 1);
  assert.equal(limited.meta.rateLimit?.remaining, 0);
});

test("a contract that the server does not serve is an invalid request", async () => {
  const other: typeof fetch = (url, init) => {
    const headers = { ...init!.headers, "leadline-version": "2025-01-01" };
    return fetch(url, { ...init, headers });
  };
  const client = new Leadline({ baseUrl: server.baseUrl, apiKey, fetch: other });
  const error = await rejection(client.stations.get("8443970"));
  assert.ok(error instanceof InvalidRequestError, String(error));
  assert.equal(error.issues[0]!.path, "Leadline-Version");
});

test("a provider that is down is an error of the server", async () => {
  const alone = await start("http://127.0.0.1:9");
  try {
    const client = new Leadline({ baseUrl: alone.baseUrl, maxRetries: 0 });
    const error = await rejection(client.stations.waterLevels("8443970"));
    assert.ok(error instanceof UnavailableError, String(error));
    assert.equal(error.code, "provider_unavailable");
  } finally {
    await alone.stop();
  }
});

test("each returns every station once", async () => {
  const client = new Leadline({ baseUrl: server.baseUrl, apiKey });
  const all = await client.stations.search({ limit: 5000 });
  const ids: string[] = [];
  for await (const { id } of client.stations.each({ limit: 700 })) ids.push(id);
  assert.deepEqual([ids.length, new Set(ids).size], [all.total, all.total]);
  const first = all.stations.map(({ id }) => id);
  assert.deepEqual(ids.slice(0, first.length), first);
});

// Without a client all requests are sent at once, each on a connection of its own.
const predict = "/api/v1/stations/8443970/predictions";
const senders: [string, (client: Leadline, headers: HeadersInit) => Promise<unknown>][] = [
  ["calls of a client", (client) => client.stations.predictions("8443970")],
  [
    "calls of fetch",
    async (_, headers) => {
      const response = await fetch(server.baseUrl + predict, { headers });
      assert.equal(response.status, 200, await response.text());
    },
  ],
];
for (const [name, send] of senders) {
  test(`1,000 ${name} at once have results`, async (t) => {
    const own = server.key("pro", "raw:read");
    const client = new Leadline({ baseUrl: server.baseUrl, apiKey: own, maxRetries: 0 });
    const headers = { authorization: `Bearer ${own}` };
    const start = performance.now();
    await Promise.all(Array.from({ length: 1000 }, () => send(client, headers)));
    t.diagnostic(`1,000 ${name} took ${((performance.now() - start) / 1000).toFixed(1)} s`);
  });
}

test("a page on another origin uses the client", { timeout: 120_000 }, async () => {
  const seen = await openPage(server.baseUrl, built(".."));
  assert.ok(seen.tides.count >= 3, JSON.stringify(seen.tides));
  assert.match(seen.tides.requestId, /^[0-9a-f-]{36}$/);
  assert.equal(seen.tides.limit, 65535);
  assert.equal(seen.decision, "trip-health");
  assert.equal(seen.missing.name, "NotFoundError");
  assert.match(seen.redirect.message, /^the server redirects/);
  assert.match(seen.key.message, /^invalid apiKey: must not be in a page/);
});

const blocks = readdirSync(built("blocks")).filter((name) => name.endsWith(".js"));
for (const name of blocks) {
  const path = built(`blocks/${name}`);
  const code = readFileSync(path, "utf8");
  if (code.includes("verifyWebhook(")) continue; // receivers.test.ts runs it
  test(`block ${name} of the documents runs`, async () => {
    const address = /https:\/\/leadline\.example\.org|http:\/\/127\.0\.0\.1:8080/g;
    writeFileSync(path, code.replaceAll(address, server.baseUrl));
    const { stdout } = await run(process.execPath, [path], { env, cwd: server.folder });
    assert.ok(stdout, "it has printed nothing");
  });
}

for (const readme of ["typescript", "python"]) {
  test(`the commands for operators in the README of ${readme} run`, () => {
    const text = readFileSync(new URL(`../../../${readme}/README.md`, import.meta.url), "utf8");
    const lines = text.replace(/ \\\n */g, " ").matchAll(/^leadline (.*)$/gm);
    const commands = [...lines].map(([, line]) => line!.split(" "));
    assert.ok(commands.length > 0);
    for (const command of commands) assert.match(server.run(...command), /^ldl_live_\w+\n$/);
  });
}

test("the example tide-today prints the tides of a day", async () => {
  const { stdout } = await run(process.execPath, [built("examples/tide-today.js")], { env });
  assert.match(stdout, /^Boston, heights above MLLW\n20\d\d-\d\d-\d\d \d\d:\d\d  (high|low )  /);
});

test("the example best-window recommends a time", async () => {
  const { stdout } = await run(process.execPath, [built("examples/best-window.js")], { env });
  assert.equal(stdout.match(/^\d\. .*/gm)?.length, 4);
  assert.match(stdout, /Not for navigation/);
});

test("the example watch-change compares with its file", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadline-watch-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const args = [built("examples/watch-change.js"), join(folder, "baseline.json")];
  const first = await run(process.execPath, args, { env });
  assert.ok(first.stdout);
  for (let i = 0; i < 2; i++) {
    const { stdout } = await run(process.execPath, args, { env });
    assert.match(stdout, /^Nothing that matters has changed|^The plan has changed/);
  }
});

test("the example openapi-fetch reads tides and windows", async () => {
  const { stdout } = await run(process.execPath, [built("examples/openapi-fetch.js")], { env });
  assert.match(stdout, /type: '(high|low)'/);
  assert.doesNotMatch(stdout, /error|code:/);
});

// start starts a server with providers and returns it with a function that creates keys.
async function start(providers: string) {
  const folder = mkdtempSync(join(tmpdir(), "leadline-live-"));
  const plans = join(folder, "plans.json");
  const slow = { perMinute: 2, perMonth: 100 };
  writeFileSync(plans, JSON.stringify({ anonymous: { perMinute: 65535 }, slow }));
  const data = ["--data", join(folder, "data"), "--plans", plans];
  const port = join(folder, "port");
  const child = spawn(
    binary,
    [
      ...data,
      ...["--listen", "127.0.0.1:0", "--port-file", port, "--drain-wait", "0s"],
      ...["--contact", "ci@example.org", "--coops-url", providers, "--nws-url", providers],
      ...["--webhook-private", "127.0.0.0/8", "--log-level", "error"],
    ],
    { stdio: "ignore" },
  );
  await until(() => {
    assert.equal(child.exitCode, null, "the server has ended");
    return existsSync(port) && readFileSync(port, "utf8") !== "";
  });
  let accounts = 0;
  const run = (...command: string[]): string =>
    execFileSync(binary, [...command, ...data], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  return {
    folder,
    run,
    baseUrl: `http://127.0.0.1:${readFileSync(port, "utf8").trim()}`,
    key(plan: string, scopes: string): string {
      const account = `person${++accounts}@example.org`;
      const options = ["--account", account, "--plan", plan, "--scopes", scopes];
      return run("keys", "create", ...options).trim();
    },
    async stop(): Promise<void> {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await ended;
      rmSync(folder, { recursive: true });
      assert.equal(code, 0);
    },
  };
}
