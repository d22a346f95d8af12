import assert from "node:assert/strict";
import { test } from "node:test";
import {
  APIConnectionError,
  APIError,
  APITimeoutError,
  Leadline,
  LeadlineError,
  RateLimitError,
  UnavailableError,
} from "leadline";
import { fail, headers, json, rejection, serve, stationList } from "./server.js";
import type { Script } from "./server.js";

const page = stationList(["8443970"]);
const trip = {
  stationId: "8443970",
  activity: "boating",
  localDate: "2026-11-28",
  localTime: "09:00",
} as const;

const read = (client: Leadline) => client.stations.search();
const decide = (client: Leadline) => client.decisions.tripHealth(trip);
const plan = (client: Leadline) => client.planning.routes({ speed: 6, gates: [] });
const create = (client: Leadline) => client.webhooks.create({ url: "https://a.example" });
const remove = (client: Leadline) => client.watches.delete("wt_8Lq2VnR5sYc1Kd");

const now = { "retry-after": "0" };
const limited: Script = (r) => fail(r, 429, "rate_limited", now);
const unavailable: Script = (r) => fail(r, 503, "store_unavailable", now);
const gateway =
  (status: number): Script =>
  (r) => {
    r.writeHead(status, { "content-type": "text/html", ...now }).end("<h1>Bad gateway</h1>");
  };
const reset: Script = (r) => r.destroy();
const truncated: Script = (r) => {
  r.writeHead(200, { ...headers, "content-length": "1000" });
  r.write('{"stations": [');
  setImmediate(() => r.destroy());
};
const exceeded: Script = (r) => fail(r, 429, "quota_exceeded", now);
const long: Script = (r) => fail(r, 429, "rate_limited", { "retry-after": "3600" });
const date: Script = (r) =>
  fail(r, 503, "overloaded", { "retry-after": new Date(Date.now() + 3.6e6).toUTCString() });
const internal: Script = (r) => fail(r, 500, "internal");

const cases: [string, (client: Leadline) => Promise<unknown>, Script, number, unknown][] = [
  ["a read after 429", read, limited, 3, RateLimitError],
  ["a read after 502", read, gateway(502), 3, APIError],
  ["a read after 503", read, unavailable, 3, UnavailableError],
  ["a read after 504", read, gateway(504), 3, APIError],
  ["a read after a reset", read, reset, 3, APIConnectionError],
  ["a read after half a response", read, truncated, 3, APIConnectionError],
  ["a read after 500", read, internal, 1, APIError],
  ["a read without quota", read, exceeded, 1, RateLimitError],
  ["a read that must wait for an hour", read, long, 1, RateLimitError],
  ["a read that must wait until a date", read, date, 1, UnavailableError],
  ["a decision after 502", decide, gateway(502), 3, APIError],
  ["a decision after a reset", decide, reset, 3, APIConnectionError],
  ["a plan after 502", plan, gateway(502), 3, APIError],
  ["a change after 429", create, limited, 3, RateLimitError],
  ["a change after 503", create, unavailable, 3, UnavailableError],
  ["a change after 502", create, gateway(502), 1, APIError],
  ["a change after 504", create, gateway(504), 1, APIError],
  ["a change after a reset", create, reset, 1, APIConnectionError],
  ["a removal after half a response", remove, truncated, 1, APIConnectionError],
  ["a removal after 503", remove, gateway(503), 3, UnavailableError],
];

for (const [name, call, script, want, kind] of cases) {
  test(`${name} is sent ${want} times`, async (t) => {
    const { baseUrl, requests } = await serve(t, script);
    const error = await rejection(call(new Leadline({ baseUrl, maxRetryWait: 0 })));
    assert.equal((error as object).constructor, kind, String(error));
    assert.equal(requests.length, want);
  });
}

test("two refusals and a result are a result with two retries", async (t) => {
  const { baseUrl } = await serve(t, (r, n) => (n < 2 ? limited(r, n, never) : json(r, 200, page)));
  const result = await new Leadline({ baseUrl }).stations.search();
  assert.equal(result.$meta.retries, 2);
});

test("maxRetries 0 means none, for a client and for a call", async (t) => {
  const { baseUrl, requests } = await serve(t, limited);
  await rejection(read(new Leadline({ baseUrl, maxRetries: 0 })));
  assert.equal(requests.length, 1);
  await rejection(new Leadline({ baseUrl }).stations.search({}, { maxRetries: 0 }));
  assert.equal(requests.length, 2);
});

test("an error says how long to wait and how often it was tried", async (t) => {
  const { baseUrl } = await serve(t, (r, n) => (n < 1 ? limited(r, n, never) : long(r, n, never)));
  const error = await rejection(read(new Leadline({ baseUrl })));
  assert.ok(error instanceof RateLimitError);
  assert.equal(error.retryAfter, 3600);
  assert.equal(error.meta.retries, 1);
});

test("retryAfterSeconds of the body is used where the header is missing", async (t) => {
  const body = { error: { code: "rate_limited", message: "Slowly.", retryAfterSeconds: 21 } };
  const { baseUrl, requests } = await serve(t, (r) => json(r, 429, body));
  const error = await rejection(read(new Leadline({ baseUrl })));
  assert.ok(error instanceof RateLimitError);
  assert.equal(error.retryAfter, 21);
  assert.equal(requests.length, 1);
});

test("waits are Retry-After and up to a tenth, else up to 0.5, 1, 2, 4, 4 s", async (t) => {
  const waits: number[] = [];
  const real = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", ((call: () => void, ms: number) => {
    const ofClient = /dist.esm.http/.test(new Error().stack!);
    if (ofClient && ms < 30_000) waits.push(ms); // the longer ones are those of attempts
    return real(call, ofClient && ms < 30_000 ? 0 : ms);
  }) as typeof setTimeout);
  t.mock.method(Math, "random", () => 0.5);
  let n = 0;
  const fetch = async () =>
    n++ < 5
      ? new Response("", { status: 502 })
      : new Response("", { status: 503, headers: { "retry-after": "10" } });
  const client = new Leadline({ baseUrl: "https://a.example", fetch, maxRetries: 6 });
  await rejection(client.stations.search());
  assert.deepEqual(waits, [250, 500, 1000, 2000, 2000, 10_500]);
});

test("a server that hangs is given up", async (t) => {
  for (const script of [() => {}, (r) => r.writeHead(200, headers).write("{")] satisfies Script[]) {
    const { baseUrl } = await serve(t, script);
    const onRequest = t.mock.fn();
    const limits = { timeout: 50, maxRetries: 1, maxRetryWait: 0 };
    const client = new Leadline({ baseUrl, onRequest, ...limits });
    const error = await rejection(read(client));
    assert.ok(error instanceof APITimeoutError, String(error));
    assert.ok(error instanceof APIConnectionError && error instanceof LeadlineError);
    assert.match(error.message, /^GET \/api\/v1\/stations: no response within 50 ms$/);
    assert.equal(onRequest.mock.callCount(), 2);
  }
});

test("an aborted call is rejected with the reason of its signal", async (t) => {
  const { baseUrl, requests } = await serve(t, () => stop.abort(reason));
  const reason = new Error("the user left");
  let stop = new AbortController();
  const client = new Leadline({ baseUrl });
  const call = () => rejection(client.stations.search({}, { signal: stop.signal }));
  assert.equal(await call(), reason);
  assert.equal(requests.length, 1);
  assert.equal(await call(), reason, "aborted before it begins");
  assert.equal(requests.length, 1);
  stop = new AbortController();
  const tooLate = AbortSignal.timeout(20);
  const hanging = new Leadline({ baseUrl, fetch: hang });
  const error = await rejection(hanging.stations.search({}, { signal: tooLate }));
  assert.equal((error as Error).name, "TimeoutError");
  assert.equal(error instanceof LeadlineError, false);
});

test("an abort with the reason null throws null", async (t) => {
  const { baseUrl, requests } = await serve(t, () => stop.abort(null));
  const stop = new AbortController();
  const { signal } = stop;
  assert.equal(await rejection(new Leadline({ baseUrl }).stations.search({}, { signal })), null);
  assert.equal(requests.length, 1);
});

test("an abort ends a wait", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) =>
    fail(r, 503, "overloaded", { "retry-after": "20" }),
  );
  const stop = new AbortController();
  const client = new Leadline({ baseUrl, onResponse: () => setTimeout(() => stop.abort(), 20) });
  const error = await rejection(client.stations.search({}, { signal: stop.signal }));
  assert.equal((error as Error).name, "AbortError");
  assert.equal(requests.length, 1);
});

test("a call leaves no listener on its signal and no timer", async (t) => {
  const { baseUrl } = await serve(t, (r, n) => (n < 2 ? limited(r, n, never) : json(r, 200, page)));
  const { signal } = new AbortController();
  const add = t.mock.method(signal, "addEventListener");
  const remove = t.mock.method(signal, "removeEventListener");
  await new Leadline({ baseUrl }).stations.search({}, { signal });
  // fetch has a signal of its own, so that all of these are of the client.
  assert.equal(add.mock.callCount(), 5);
  const removed = new Set(remove.mock.calls.map((one) => one.arguments[1]));
  assert.ok(add.mock.calls.every((one) => removed.has(one.arguments[1])));
});

const never = undefined as never;

const hang: typeof fetch = (_, init) =>
  new Promise((_, reject) => {
    init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason));
  });
