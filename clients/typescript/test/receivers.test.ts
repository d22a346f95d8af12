// The receivers of webhooks in the README and in the examples: they verify, and they go on
// after senders that disconnect, bodies that are too long, and work that fails.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import { Webhook } from "standardwebhooks";

const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const built = (path: string) => new URL(`../${path}`, import.meta.url).pathname;
const blocks = readdirSync(built("blocks")).map((name) => built(`blocks/${name}`));

// block returns the path of the block of the README that uses a module.
function block(module: string): string {
  const found = blocks.filter((path) => {
    const code = readFileSync(path, "utf8");
    return path.endsWith(".js") && code.includes("verifyWebhook(") && code.includes(module);
  });
  assert.equal(found.length, 1, module);
  return found[0]!;
}

const body = JSON.stringify({ type: "webhook.test", timestamp: "2026-11-27T15:02:10Z", data: {} });

// delivery returns a signed request, as the reference library signs.
function delivery(url: string, text = body, signed = text): Request {
  const at = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, signed),
  };
  return new Request(url, { method: "POST", headers, body: text });
}

const programs = [
  ["Node", block('"node:http"')],
  ["Express", block('"express"')],
  ["the example", built("examples/webhook-server.js")],
] as const;

const limit = { timeout: 60_000 };

// The work of each receiver is to print the event.
const failing = "console.log = () => { throw new Error('work'); };";

for (const [name, path] of programs) {
  test(`the receiver with ${name} verifies, and goes on after faults`, limit, async (t) => {
    const port = await unusedPort();
    const load = ["--import", `data:text/javascript,${encodeURIComponent(failing)}`];
    const child = spawn(process.execPath, [...load, path], {
      env: { ...process.env, PORT: String(port), LEADLINE_WEBHOOK_SECRET: secret },
      stdio: ["ignore", "ignore", "pipe"],
    });
    t.after(() => child.kill());
    let printed = "";
    child.stderr.on("data", (data) => (printed += data));
    const url = `http://127.0.0.1:${port}/`;
    const status = async (request: Request) => (await fetch(request)).status;
    while (!(await fetch(url).catch(() => null))) {
      assert.equal(child.exitCode, null, printed);
      await pause(50);
    }

    assert.equal(await status(delivery(url, `${body} `, body)), 400);
    assert.doesNotMatch(printed, /Error: work/);
    for (let i = 0; i < 2; i++) assert.equal(await status(delivery(url)), 204);
    const warning = JSON.stringify({ type: "quota.warning" });
    assert.equal(await status(delivery(url, warning)), 500);

    const half = connect(port, "127.0.0.1");
    const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
    half.write(`${head}Content-Length: 100\r\n\r\n{`, () => half.destroy());
    while (!printed.includes("aborted")) await pause(20);
    const long = delivery(url, JSON.stringify("x".repeat(70_000)));
    assert.notEqual(await status(long).catch(() => 400), 204);

    assert.equal(await status(delivery(url)), 204);
    assert.match(printed, /Error: work/);
    assert.equal(child.exitCode, null, printed);
  });

  test(`the receiver with ${name} does not start without a secret`, limit, async (t) => {
    const env = { ...process.env, PORT: "0", LEADLINE_WEBHOOK_SECRET: "" };
    const child = spawn(process.execPath, [path], { env, stdio: ["ignore", "ignore", "pipe"] });
    t.after(() => child.kill());
    let printed = "";
    child.stderr.on("data", (data) => (printed += data));
    const [code] = await once(child, "close");
    assert.equal(code, 1);
    assert.match(printed, /set LEADLINE_WEBHOOK_SECRET/);
  });
}

test("the receiver with Hono verifies", async () => {
  process.env.LEADLINE_WEBHOOK_SECRET = secret;
  const { default: app } = await import(pathToFileURL(block('"hono"')).href);
  const url = "http://127.0.0.1/";
  assert.equal((await app.fetch(delivery(url))).status, 204);
  assert.equal((await app.fetch(delivery(url, `${body} `, body))).status, 400);
  assert.equal((await app.fetch(delivery(url, JSON.stringify("x".repeat(70_000))))).status, 413);
  const broken = new ReadableStream({ pull: (stream) => stream.error(new Error("disconnected")) });
  const { headers } = delivery(url);
  const half = { method: "POST", headers, body: broken, duplex: "half" };
  assert.equal((await app.fetch(new Request(url, half))).status, 500);
});

test("each block but that of openapi-fetch is JavaScript", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  for (const [, code] of readme.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const parse = () => transformSync(code!, { loader: "js" });
    if (code!.includes("openapi-fetch")) assert.throws(parse);
    else assert.doesNotThrow(parse);
  }
});

// unusedPort returns a port for a program that must be given one. It is below the ports that
// systems give to outgoing connections, one of which could otherwise take it before the program.
async function unusedPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer();
    const open = await new Promise((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!open) continue;
    probe.close();
    return port;
  }
}
