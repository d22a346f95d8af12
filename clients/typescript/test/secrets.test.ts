import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { APIError, Leadline } from "leadline";
import { headers, json, rejection, serve } from "./server.js";
import type { Script } from "./server.js";

const key = "ldl_live_hidden0123456789";

// Servers that fail, some of which print the key.
const scripts: [string, Script][] = [
  ["a reset", (r) => r.destroy()],
  ["a page that prints the request", (r, _, q) => page(r, JSON.stringify(q.headers))],
  ["a page that prints the key at character 190", (r) => page(r, "x".repeat(190) + key)],
  ["a page that prints a webhook secret", (r) => page(r, "whsec_hidden+0123/456=")],
  ["an error that prints the key", (r) => error(r, `No key ${key}.`)],
  ["a redirect", (r) => r.writeHead(302, { location: "/" }).end()],
];
const page = (r: Parameters<Script>[0], body: string) => r.writeHead(400, headers).end(body);
const error = (r: Parameters<Script>[0], message: string) =>
  page(r, JSON.stringify({ error: { code: "invalid_credential", message } }));

test("the target of a redirect is named without secrets", async (t) => {
  const location = `https://a.example/${key}?secret=whsec_hidden+0123/456=`;
  const { baseUrl } = await serve(t, (r) => r.writeHead(302, { location }).end());
  const failure = await rejection(new Leadline({ baseUrl, apiKey: key }).stations.search());
  assert.equal(
    (failure as Error).message,
    "the server redirects to https://a.example/***?secret=whsec_***",
  );
});

for (const [name, script] of scripts) {
  for (const apiKey of [key, () => key]) {
    test(`${name} does not show a secret (key as ${typeof apiKey})`, async (t) => {
      const { baseUrl } = await serve(t, script);
      const client = new Leadline({ baseUrl, apiKey, maxRetries: 0 });
      const failure = await rejection(client.stations.search());
      assert.ok(failure instanceof Error);
      assert.doesNotMatch(shown(failure), /hidden/);
      assert.doesNotMatch(JSON.stringify(failure), /hidden/);
    });
  }
}

test("the start of a key at the end of an excerpt is not shown", async (t) => {
  const { baseUrl } = await serve(t, (r) => page(r, "x".repeat(190) + key));
  const failure = await rejection(new Leadline({ baseUrl, apiKey: key }).stations.search());
  assert.ok(failure instanceof APIError);
  assert.match(failure.message, /x\*\*\*/);
});

test("a client does not show its key", () => {
  const client = new Leadline({ baseUrl: "https://leadline.example.org", apiKey: key });
  assert.doesNotMatch(shown(client), /hidden/);
  assert.doesNotMatch(shown(client.stations), /hidden/);
  assert.doesNotMatch(JSON.stringify(client), /hidden/);
});

test("a public id of a key is shown, its secret is not", async (t) => {
  const message = "ldl_live_7LqQBDD and ldl_live_7LqQBDDhidden";
  const { baseUrl } = await serve(t, (r) => error(r, message));
  const failure = (await rejection(new Leadline({ baseUrl }).stations.search())) as Error;
  assert.equal(failure.message, "ldl_live_7LqQBDD and ldl_live_7LqQBDD*** (request req-1)");
});

test("a printed result does not show the secret of a new endpoint", async (t) => {
  const body = { endpoint: { id: "we_1" }, secret: "whsec_hidden" };
  const { baseUrl } = await serve(t, (r) => json(r, 200, body));
  const client = new Leadline({ baseUrl });
  const made = await client.webhooks.create({ url: "https://hooks.example.com/leadline" });
  assert.equal(inspect(made), "{ endpoint: { id: 'we_1' }, secret: '***' }");
  assert.doesNotMatch(inspect({ made: [made] }, { depth: 9 }), /hidden/);
  assert.equal(made.secret, "whsec_hidden");
  assert.deepEqual(JSON.parse(JSON.stringify(made)), body, "it can be stored");
});

test("a fetch that fails with the request does not put it into the message", async () => {
  const fetch = () => Promise.reject(Object.assign(new TypeError("failed"), { code: "EPIPE" }));
  const client = new Leadline({ baseUrl: "https://a.example", apiKey: key, fetch, maxRetries: 0 });
  const failure = (await rejection(client.stations.search({ q: "x" }))) as Error;
  assert.equal(failure.message, "GET /api/v1/stations: connection failed (EPIPE)");
});

const shown = (value: object) =>
  inspect(value, { depth: null, showHidden: true }) + String((value as Error).stack);
