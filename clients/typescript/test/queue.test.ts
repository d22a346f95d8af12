// At most 32 calls of a client run at a time.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { APIConnectionError, APITimeoutError, InvalidRequestError, Leadline } from "leadline";
import { until } from "./contract.js";
import { fail, json, rejection, serve, stationList } from "./server.js";

const page = stationList(["8443970"]);

test("200 calls at once are sent 32 at a time", async (t) => {
  let running = 0;
  let most = 0;
  const { baseUrl, requests } = await serve(t, async (response) => {
    most = Math.max(most, ++running);
    await pause(50);
    running--;
    json(response, 200, page);
  });
  const client = new Leadline({ baseUrl, maxRetries: 0 });
  await Promise.all(Array.from({ length: 200 }, () => client.stations.search()));
  assert.ok(most <= 32, `${most} at a time`);
  assert.equal(requests.length, 200);
});

test("calls that wait are sent in the order in which they were made", async (t) => {
  const { client, made, held, requests } = await full(t, 32);
  const waiting = Array.from({ length: 40 }, (_, n) => client.stations.search({ q: `${n}` }));
  json(held[0]!, 200, page);
  await Promise.all(waiting); // one after the other, in the place of the first call
  assert.deepEqual(
    requests.slice(32).map(({ url }) => url),
    waiting.map((_, n) => `/api/v1/stations?q=${n}`),
  );
  for (const response of held.slice(1)) json(response, 200, page);
  await Promise.all(made);
});

test("a call that is aborted while it waits leaves the queue", async (t) => {
  const { client, made, held, requests } = await full(t);
  const stop = new AbortController();
  const { signal } = stop;
  const aborted = rejection(client.stations.search({ q: "aborted" }, { signal }));
  made.push(client.stations.search({ q: "next" }), client.stations.search({ q: "last" }));
  const reason = new Error("the user left");
  stop.abort(reason);
  assert.equal(await aborted, reason);
  assert.equal(await rejection(client.stations.search({}, { signal })), reason);
  await pause(50);
  assert.equal(requests.length, 32, "its place is not given to another call");
  json(held[0]!, 200, page);
  await until(() => held.length === 33);
  await pause(50);
  assert.equal(requests.length, 33, "one response, one call");
  for (const response of held.slice(1)) json(response, 200, page);
  await until(() => held.length === 34);
  json(held[33]!, 200, page);
  await Promise.all(made);
  const sent = requests.slice(32).map(({ url }) => url);
  assert.deepEqual(sent, ["/api/v1/stations?q=next", "/api/v1/stations?q=last"]);
});

test("a call that waited leaves no listener on its signal", async (t) => {
  const { client, made, held } = await full(t);
  const { signal } = new AbortController();
  const add = t.mock.method(signal, "addEventListener");
  const remove = t.mock.method(signal, "removeEventListener");
  made.push(client.stations.search({}, { signal }));
  assert.equal(add.mock.callCount(), 1);
  json(held[0]!, 200, page);
  await until(() => held.length === 33);
  for (const response of held.slice(1)) json(response, 200, page);
  await Promise.all(made);
  const removed = new Set(remove.mock.calls.map((one) => one.arguments[1]));
  assert.ok(add.mock.calls.every((one) => removed.has(one.arguments[1])));
});

test("the time that a call waits is not counted by its timeout", async (t) => {
  const { client, made, held } = await full(t);
  let ended = false;
  const late = rejection(client.stations.search({}, { timeout: 20 })).finally(() => {
    ended = true;
  });
  await pause(100);
  assert.equal(ended, false);
  json(held[0]!, 200, page);
  assert.ok((await late) instanceof APITimeoutError);
  for (const response of held.slice(1, 32)) json(response, 200, page);
  await Promise.all(made);
});

const failures: [string, (response: ServerResponse) => void, unknown][] = [
  ["refused", (r) => fail(r, 400, "invalid_request"), InvalidRequestError],
  ["disconnected", (r) => r.destroy(), APIConnectionError],
  ["without a response", () => {}, APITimeoutError],
];
for (const [name, script, kind] of failures) {
  test(`a call that is ${name} frees its place`, async (t) => {
    const { baseUrl } = await serve(t, (response) => script(response));
    const onRequest = t.mock.fn();
    const timeout = kind === APITimeoutError ? 50 : undefined;
    const client = new Leadline({ baseUrl, maxRetries: 0, timeout, onRequest });
    const calls = Array.from({ length: 100 }, () => rejection(client.stations.search()));
    for (const error of await Promise.all(calls)) {
      assert.equal((error as object).constructor, kind, String(error));
    }
    assert.equal(onRequest.mock.callCount(), 100);
  });
}

test("a call keeps its place until its last attempt", async (t) => {
  const { client, made, held, requests } = await full(t);
  made.push(client.stations.search({ q: "waits" }));
  fail(held[0]!, 503, "overloaded", { "retry-after": "0" });
  await until(() => held.length === 33);
  assert.equal(requests[32]!.url, requests[0]!.url);
  for (const response of held.slice(1)) json(response, 200, page);
  await until(() => held.length === 34);
  assert.equal(requests[33]!.url, "/api/v1/stations?q=waits");
  json(held[33]!, 200, page);
  await Promise.all(made);
});

test("each client has places of its own", async (t) => {
  const { baseUrl, made, held } = await full(t);
  made.push(new Leadline({ baseUrl }).stations.search());
  await until(() => held.length === 33);
  for (const response of held) json(response, 200, page);
  await Promise.all(made);
});

/**
 * Returns a client that has made 32 calls, and the responses to its first requests, which a test
 * must send. Those after them are sent at once.
 */
async function full(t: TestContext, most = Infinity) {
  const held: ServerResponse[] = [];
  const { baseUrl, requests } = await serve(t, (response, n) => {
    if (n < most) held.push(response);
    else json(response, 200, page);
  });
  const client = new Leadline({ baseUrl, maxRetryWait: 0 });
  const made: Promise<unknown>[] = Array.from({ length: 32 }, () => client.stations.search());
  await until(() => held.length === 32);
  return { baseUrl, requests, client, made, held };
}
