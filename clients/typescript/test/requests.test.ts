import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { CONTRACT, Leadline, LeadlineError, VERSION } from "leadline";
import type { Options, ResponseNotice } from "leadline";
import { fail, json, rejection, serve, stationList } from "./server.js";

const page = stationList(["8443970"]);
const key = "ldl_live_0123456789";

test("a read sends its query, its headers and nothing else", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, page));
  const client = new Leadline({ baseUrl: `${baseUrl}/`, apiKey: key, appInfo: "mysite/1.2" });
  const absent = undefined as unknown as string;
  await client.stations.search({ q: "Half Moon & Bay", limit: 5, state: absent });
  const { method, url, headers, body } = requests[0]!;
  assert.deepEqual([method, body], ["GET", ""]);
  assert.equal(url, "/api/v1/stations?q=Half+Moon+%26+Bay&limit=5");
  assert.equal(headers.accept, "application/json");
  assert.equal(headers.authorization, `Bearer ${key}`);
  assert.equal(headers["leadline-version"], CONTRACT);
  assert.equal(headers["content-type"], undefined);
  const [major, minor] = process.versions.node.split(".");
  assert.equal(
    headers["user-agent"],
    `leadline-typescript/${VERSION} (node/${major}.${minor}; ${process.platform}) mysite/1.2`,
  );
});

test("a change sends its body", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, {}));
  const client = new Leadline({ baseUrl });
  await client.webhooks.update("we_1", { enabled: false });
  await client.webhooks.rotate("we_1");
  await client.webhooks.test("we_1");
  await client.watches.delete("wt_1");
  await client.keys.revoke("7LqQBDD");
  assert.deepEqual(
    requests.map(({ method, url, body }) => [method, url, body]),
    [
      ["PATCH", "/api/developer/webhooks/we_1", '{"enabled":false}'],
      ["POST", "/api/developer/webhooks/we_1/rotate", "{}"],
      ["POST", "/api/developer/webhooks/we_1/test", ""],
      ["DELETE", "/api/developer/watches/wt_1", ""],
      ["POST", "/api/developer/keys/revoke", '{"id":"7LqQBDD"}'],
    ],
  );
  assert.equal(requests[0]!.headers["content-type"], "application/json");
});

test("a base address may have a path", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, page));
  await new Leadline({ baseUrl: `${baseUrl}/coast` }).stations.get("8443970");
  await new Leadline({ baseUrl: `${baseUrl}/coast/` }).stations.get("8443970");
  const want = "/coast/api/v1/stations/8443970";
  assert.deepEqual([requests[0]!.url, requests[1]!.url], [want, want]);
});

test("an id cannot address another route", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, page));
  const client = new Leadline({ baseUrl });
  for (const id of ["", ".", "..", undefined, 8443970] as string[]) {
    const error = await rejection(client.stations.get(id));
    assert.ok(error instanceof LeadlineError, String(id));
    assert.match(error.message, /^invalid id: /);
  }
  assert.equal(requests.length, 0);
  await client.stations.get("a/../b?c#d");
  await client.stations.get("%2e%2e");
  assert.deepEqual(
    requests.map(({ url }) => url),
    ["/api/v1/stations/a%2F..%2Fb%3Fc%23d", "/api/v1/stations/%252e%252e"],
  );
});

test("address and key are read from the environment", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, page));
  environment(t, { LEADLINE_BASE_URL: baseUrl, LEADLINE_API_KEY: key });
  await new Leadline().stations.search();
  await new Leadline({ apiKey: "other" }).stations.search();
  await new Leadline({ apiKey: () => "" }).stations.search();
  process.env.LEADLINE_API_KEY = "";
  await new Leadline().stations.search();
  assert.deepEqual(
    requests.map(({ headers }) => headers.authorization),
    [`Bearer ${key}`, "Bearer other", undefined, undefined],
  );
});

test("a key can be a function, which every attempt calls", async (t) => {
  const { baseUrl, requests } = await serve(t, (r, n) =>
    n ? json(r, 200, page) : fail(r, 503, "overloaded", { "retry-after": "0" }),
  );
  let calls = 0;
  const client = new Leadline({ baseUrl, apiKey: async () => `key${++calls}` });
  await client.stations.search();
  assert.deepEqual(
    requests.map(({ headers }) => headers.authorization),
    ["Bearer key1", "Bearer key2"],
  );
});

test("settings of a call win over those of the client", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, page));
  const client = new Leadline({ baseUrl, apiKey: key, appInfo: "a/1" });
  await client.stations.search({}, { apiKey: "other", appInfo: "b/2" });
  await client.stations.search({}, { apiKey: undefined, appInfo: undefined });
  assert.equal(requests[0]!.headers.authorization, "Bearer other");
  assert.match(requests[0]!.headers["user-agent"]!, / b\/2$/);
  assert.equal(requests[1]!.headers.authorization, `Bearer ${key}`);
});

test("methods work without their client", async (t) => {
  const { baseUrl } = await serve(t, (r) => json(r, 200, page));
  const { search } = new Leadline({ baseUrl }).stations;
  assert.equal((await search({ q: "Boston" })).stations.length, 1);
});

test("hooks see each attempt, without headers and query", async (t) => {
  const { baseUrl } = await serve(t, (r, n) =>
    n ? json(r, 200, page) : fail(r, 503, "overloaded", { "retry-after": "0" }),
  );
  const onRequest = t.mock.fn();
  const onResponse = t.mock.fn();
  const client = new Leadline({ baseUrl, apiKey: key, onRequest, onResponse });
  await client.stations.search({ q: "Boston" });
  const place = { method: "GET", path: "/api/v1/stations" };
  assert.deepEqual(
    onRequest.mock.calls.map((one) => one.arguments[0]),
    [
      { ...place, attempt: 1 },
      { ...place, attempt: 2 },
    ],
  );
  const seen = onResponse.mock.calls.map((one) => one.arguments[0] as ResponseNotice);
  assert.deepEqual(
    seen.map(({ ms, ...rest }) => ({ ...rest, measured: ms > 0 })),
    [
      { ...place, attempt: 1, status: 503, requestId: "req-1", measured: true },
      { ...place, attempt: 2, status: 200, requestId: "req-1", measured: true },
    ],
  );
});

test("hooks see an attempt without a response", async (t) => {
  const { baseUrl } = await serve(t, (r) => r.destroy());
  const onResponse = t.mock.fn();
  const client = new Leadline({ baseUrl, onResponse, maxRetries: 0 });
  await rejection(client.stations.search());
  const { status, requestId } = onResponse.mock.calls[0]!.arguments[0] as ResponseNotice;
  assert.deepEqual([status, requestId], [null, ""]);
});

test("hooks see an aborted attempt", async (t) => {
  const stop = new AbortController();
  const { baseUrl } = await serve(t, () => stop.abort());
  const onResponse = t.mock.fn();
  const client = new Leadline({ baseUrl, onResponse });
  const error = await rejection(client.stations.search({}, { signal: stop.signal }));
  assert.equal((error as Error).name, "AbortError");
  assert.equal(onResponse.mock.callCount(), 1);
  assert.equal((onResponse.mock.calls[0]!.arguments[0] as ResponseNotice).status, null);
});

test("what a hook throws is not taken for a fault of the network", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, page));
  const wrong = new Error("wrong hook");
  const onResponse = () => {
    throw wrong;
  };
  assert.equal(await rejection(new Leadline({ baseUrl, onResponse }).stations.search()), wrong);
  assert.equal(requests.length, 1);
});

const base = "https://leadline.example.org";

// Each with a part of the message.
const refused: [string, Options, RegExp][] = [
  ["no address", {}, /^invalid baseUrl: must be given here or in LEADLINE_BASE_URL, /],
  ["an address without a scheme", { baseUrl: "localhost:8080" }, /invalid baseUrl/],
  ["an address of another scheme", { baseUrl: "ftp://a" }, /invalid baseUrl/],
  ["a password in the address", { baseUrl: "https://u:hidden@a" }, /invalid baseUrl/],
  ["a broken address", { baseUrl: "https://u:hidden@" }, /invalid baseUrl/],
  ["a query in the address", { baseUrl: `${base}/?key=hidden` }, /invalid baseUrl/],
  ["a key over http", { baseUrl: "http://leadline.example.org", apiKey: key }, /must be https to send a key/],
  ["a key to a false loopback", { baseUrl: "http://127.0.0.1.example.org", apiKey: key }, /must be https/],
  ["a key to a false localhost", { baseUrl: "http://localhost.example.org", apiKey: key }, /must be https/],
  ["a key to a localhost in the path", { baseUrl: "http://a.example/x.localhost", apiKey: key }, /must be https/],
  ["a key with a line break", { baseUrl: base, apiKey: "hidden\n" }, /printable ASCII/],
  ["a key that would add a header", { baseUrl: base, apiKey: "hidden\r\nx: y" }, /printable ASCII/],
  ["a number as key", { baseUrl: base, apiKey: 5 as unknown as string }, /printable ASCII/],
  ["an empty key", { baseUrl: base, apiKey: "" }, /invalid apiKey: must be printable ASCII/],
  ["a line break in appInfo", { baseUrl: base, appInfo: "a\r\nx: y" }, /invalid appInfo/],
  ["NaN as timeout", { baseUrl: base, timeout: NaN }, /invalid timeout/],
  ["no timeout", { baseUrl: base, timeout: 0 }, /^invalid timeout: must be at least 1$/],
  ["negative retries", { baseUrl: base, maxRetries: -1 }, /invalid maxRetries/],
  ["a negative wait", { baseUrl: base, maxRetryWait: -1 }, /invalid maxRetryWait/],
];
for (const [name, options, want] of refused) {
  test(`${name} is refused by the constructor`, () => {
    assert.throws(
      () => new Leadline(options),
      (error) => {
        assert.ok(error instanceof LeadlineError);
        assert.match(error.message, want);
        assert.doesNotMatch(error.message, /hidden|ldl_live/);
        return true;
      },
    );
  });
}

test("a key that a call brings is checked too", async () => {
  const client = new Leadline({ baseUrl: "http://leadline.example.org" });
  const error = await rejection(client.stations.search({}, { apiKey: key }));
  assert.match((error as Error).message, /must be https/);
  const secure = new Leadline({ baseUrl: base, apiKey: () => "hidden\n" });
  assert.match(((await rejection(secure.stations.search())) as Error).message, /printable ASCII/);
});

test("a key may be sent to loopback over http", () => {
  for (const host of ["127.0.0.1:1", "127.8.9.1", "localhost", "a.localhost:8080", "[::1]:8080"]) {
    assert.ok(new Leadline({ baseUrl: `http://${host}`, apiKey: key }));
  }
});

test("a timeout longer than timers can wait is no short one", async (t) => {
  const { baseUrl } = await serve(t, (r) => setTimeout(() => json(r, 200, page), 20));
  const client = new Leadline({ baseUrl, timeout: Infinity, maxRetries: 0 });
  assert.equal((await client.stations.search()).stations.length, 1);
});

test("a page has no key unless allowed, and no header that needs a preflight", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, page));
  Object.assign(globalThis, { document: {} });
  t.after(() => Reflect.deleteProperty(globalThis, "document"));
  assert.throws(() => new Leadline({ baseUrl, apiKey: key }), /dangerouslyAllowBrowser/);
  assert.throws(() => new Leadline({ baseUrl, apiKey: () => key }), /dangerouslyAllowBrowser/);
  const anonymous = new Leadline({ baseUrl, appInfo: "mysite/1.2" });
  const error = await rejection(anonymous.stations.search({}, { apiKey: key }));
  assert.match((error as Error).message, /not be in a page \(see dangerouslyAllowBrowser\)/);
  await anonymous.stations.search();
  const { headers } = requests[0]!;
  assert.equal(headers["leadline-version"], undefined);
  assert.doesNotMatch(headers["user-agent"] ?? "", /leadline|mysite/);
  await new Leadline({ baseUrl, apiKey: key, dangerouslyAllowBrowser: true }).stations.search();
  assert.equal(requests[1]!.headers.authorization, `Bearer ${key}`);
});

test("fetch can be replaced, and is called without an object", async () => {
  const seen: unknown[] = [];
  const client = new Leadline({
    baseUrl: base,
    async fetch(this: unknown, url, init) {
      seen.push(this, String(url), init!.redirect);
      return new Response(JSON.stringify(page));
    },
  });
  await client.stations.search();
  assert.deepEqual(seen, [undefined, `${base}/api/v1/stations`, "manual"]);
});

// environment sets variables for the time of a test.
function environment(t: TestContext, variables: Record<string, string>): void {
  Object.assign(process.env, variables);
  t.after(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}
