import assert from "node:assert/strict";
import { test } from "node:test";
import { Leadline, LeadlineError } from "leadline";
import { json, rejection, serve, stationList } from "./server.js";

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `s${from + i}`);

test("each yields the rows of all pages in order", async (t) => {
  const { baseUrl, requests } = await serve(t, (r, _, { url }) => {
    const offset = Number(new URL(url, "http://a").searchParams.get("offset"));
    json(r, 200, stationList(ids(offset, offset + 2), offset < 4 ? offset + 2 : null));
  });
  const got: string[] = [];
  for await (const station of new Leadline({ baseUrl }).stations.each({ state: "MA", limit: 2 })) {
    got.push(station.id);
  }
  assert.deepEqual(got, ids(0, 6));
  assert.deepEqual(
    requests.map(({ url }) => url),
    ["", "&offset=2", "&offset=4"].map((rest) => `/api/v1/stations?state=MA&limit=2${rest}`),
  );
});

test("each requests no page that is not read", async (t) => {
  const { baseUrl, requests } = await serve(t, (r, n) =>
    json(r, 200, stationList(ids(2 * n, 2 * n + 2), 2 * n + 2)),
  );
  const rows = new Leadline({ baseUrl }).stations.each();
  assert.equal(requests.length, 0);
  await rows.next();
  await rows.next();
  assert.equal(requests.length, 1);
  await rows.next();
  assert.equal(requests.length, 2);
  await rows.return();
  assert.equal((await rows.next()).done, true);
  assert.equal(requests.length, 2);
});

test("each begins at the given offset", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, stationList([])));
  for await (const _ of new Leadline({ baseUrl }).stations.each({ offset: 40 })) assert.fail();
  assert.equal(requests[0]!.url, "/api/v1/stations?offset=40");
});

test("a page that names itself as the next is an error", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => json(r, 200, stationList(["a"], 1)));
  const rows = new Leadline({ baseUrl }).stations.each();
  assert.deepEqual([(await rows.next()).value?.id, (await rows.next()).value?.id], ["a", "a"]);
  assert.ok((await rejection(rows.next())) instanceof LeadlineError);
  assert.equal(requests.length, 2);
});

test("events are paged by before", async (t) => {
  const { baseUrl, requests } = await serve(t, (r, n) =>
    json(r, 200, { events: [{ id: `msg_${n}` }], next: n < 2 ? `msg_${n}` : null }),
  );
  const got: string[] = [];
  for await (const event of new Leadline({ baseUrl }).events.each({ type: "quota.warning" })) {
    got.push(event.id);
  }
  assert.deepEqual(got, ["msg_0", "msg_1", "msg_2"]);
  assert.deepEqual(
    requests.map(({ url }) => url.split("?")[1]),
    ["type=quota.warning", "type=quota.warning&before=msg_0", "type=quota.warning&before=msg_1"],
  );
});

test("a signal ends each between pages", async (t) => {
  const { baseUrl } = await serve(t, (r, n) => json(r, 200, stationList(["a"], n + 1)));
  const stop = new AbortController();
  const rows = new Leadline({ baseUrl }).stations.each({}, { signal: stop.signal });
  await rows.next();
  stop.abort();
  assert.equal(((await rejection(rows.next())) as Error).name, "AbortError");
});
