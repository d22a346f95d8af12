// Calls every operation of a server once and validates each result against its schema, with a
// validator that others wrote:
//
//   LEADLINE_BASE_URL=... LEADLINE_API_KEY=... node build/test/contract.js
//
// The key needs all scopes and a plan with decisions and webhooks; in the end it is revoked.
// The server must be on this machine and allow webhooks to 127.0.0.0/8.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Leadline } from "leadline";
import { verifyWebhook } from "leadline/webhooks";
import type { WebhookEvent } from "leadline/webhooks";
import { document, operations } from "./operations.js";

const ajv = new Ajv.default({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, "openapi");

/** Fails unless a value has the schema at a place of the document. */
function validate(value: unknown, ...place: string[]): void {
  const pointer = place.map((one) => `/${one.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  const check = ajv.compile({ $ref: `openapi#${encodeURI(pointer.join(""))}` });
  assert.ok(check(value), `${place.join(" ")}: ${ajv.errorsText(check.errors)}`);
}

/** Calls every operation and returns the names of their methods, in the order of the calls. */
export async function callEverything(baseUrl: string, apiKey: string): Promise<string[]> {
  const client = new Leadline({ baseUrl, apiKey });
  const called: string[] = [];

  // result returns the result of a call after it has been validated.
  async function result<T>(name: string, call: Promise<T>): Promise<T> {
    const value = await call;
    const { method, path } = operations.get(name)!;
    const content = ["content", "application/json", "schema"];
    validate(value, "paths", path, method, "responses", "200", ...content);
    called.push(name);
    return value;
  }

  const { stations, astronomy, decisions, planning } = client;
  await result("status.get", client.status.get());
  await result("stations.search", stations.search({ q: "Boston" }));
  await result("stations.nearest", stations.nearest({ lat: 42.36, lon: -71.05 }));
  await result("stations.get", stations.get("8443970"));
  await result("stations.predictions", stations.predictions("8443970", { hours: 24 }));
  await result("stations.waterLevels", stations.waterLevels("8443970", { hours: 3 }));
  await result("stations.conditions", stations.conditions("8443970"));
  await result("stations.forecast", stations.forecast("8443970", { hours: 12 }));
  await result("astronomy.get", astronomy.get({ lat: 42.36, lon: -71.05, days: 2 }));
  await result("planning.tideWindows", planning.tideWindows({ station: "8443970", below: 0 }));
  await result("planning.tideRanks", planning.tideRanks({ station: "8443970" }));
  await result("planning.currentWindows", planning.currentWindows({ station: "PUG1701" }));
  const transit = { station: "PUG1701", distance: 1.5, speed: 6, direction: "with_flood" } as const;
  await result("planning.transits", planning.transits(transit));
  const gates = [{ station: "PUG1701", leg: 2, max_current: 3 }, { station: "PUG1702", leg: 12 }];
  await result("planning.routes", planning.routes({ speed: 6, gates }));
  await result("planning.day", planning.day({ station: "8443970" }));
  await result("planning.trip", planning.trip({ station: "8443970", date: "tomorrow" }));
  await result("planning.places", planning.places({ query: "half moon bay" }));
  await result("planning.telegram", planning.telegram({ station: "8443970" }));

  const localDate = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const plan = {
    stationId: "8443970",
    activity: "boating",
    localDate,
    localTime: "09:00",
  } as const;
  const { activity, stationId } = plan;
  const candidates = ["09:00", "15:00"].map((localTime) => ({ localDate, localTime }));
  const allowed = { kind: "state_allowed", id: "calm", allowed: ["normal"] } as const;
  const rules = [{ ...allowed, allowed: [...allowed.allowed] }];
  const { decision } = await result("decisions.tripHealth", decisions.tripHealth(plan));
  await result("decisions.bestWindow", decisions.bestWindow({ stationId, activity, candidates }));
  await result("decisions.evaluateRules", decisions.evaluateRules({ ...plan, rules }));
  const change = { ...plan, baseline: decision };
  const { summary } = await result("decisions.materialChange", decisions.materialChange(change));
  await decisions.materialChange({ ...plan, baseline: summary });

  await webhooks(client, result);

  const { watch } = await result(
    "watches.create",
    client.watches.create({ ...plan, name: "trip" }),
  );
  await result("watches.list", client.watches.list());
  await result("watches.get", client.watches.get(watch.id));
  await result("watches.delete", client.watches.delete(watch.id));

  const usage = await result("usage.get", client.usage.get());
  assert.equal(usage.$meta.quota?.remaining, usage.month.remaining);
  assert.equal(usage.$meta.quota?.limit, usage.month.limit);
  const { keys } = await result("keys.list", client.keys.list());
  const own = keys.find((one) => one.current)!;
  await result("keys.revoke", client.keys.revoke(own.id));
  assert.deepEqual([...called].sort(), [...operations.keys()].sort());
  return called;
}

type Check = <T>(name: string, call: Promise<T>) => Promise<T>;

// webhooks registers a receiver, has events sent to it, and removes it.
async function webhooks(client: Leadline, result: Check): Promise<void> {
  const received: WebhookEvent[] = [];
  let secret = "";
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    // The first request may arrive before the response that has the secret.
    while (!secret) await pause(10);
    received.push(await verifyWebhook(Buffer.concat(chunks), request.headers, secret));
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const made = await result("webhooks.create", client.webhooks.create({ url }));
    const { id } = made.endpoint;
    secret = made.secret;
    await until(() => received.length > 0);
    await until(async () => (await client.webhooks.get(id)).endpoint.state === "enabled");
    await result("webhooks.list", client.webhooks.list());
    await result("webhooks.get", client.webhooks.get(id));
    const change = client.webhooks.update(id, { description: "test of a client" });
    assert.equal(
      (await result("webhooks.update", change)).endpoint.description,
      "test of a client",
    );
    const tested = await result("webhooks.test", client.webhooks.test(id));
    assert.equal(tested.state, "delivered");
    const seen = await result("webhooks.deliveries", client.webhooks.deliveries(id));
    const [newest] = seen.deliveries;
    assert.equal(newest!.event, tested.event);
    await result("webhooks.delivery", client.webhooks.delivery(id, tested.event));
    await result("webhooks.replay", client.webhooks.replay(id, tested.event));
    await until(() => received.filter((one) => one.data.eventId === tested.event).length > 1);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await result("webhooks.replaySince", client.webhooks.replaySince(id, { since }));
    await result("events.list", client.events.list({ limit: 1 }));
    await result("events.get", client.events.get(tested.event));
    let events = 0;
    for await (const event of client.events.each({ limit: 1 })) {
      assert.equal(typeof event.id, "string");
      events++;
    }
    assert.ok(events >= 2, `${events} events`);
    const rotated = await result("webhooks.rotate", client.webhooks.rotate(id, { keepOld: "1h" }));
    assert.notEqual(rotated.secret, secret);
    await result("webhooks.delete", client.webhooks.delete(id));
    for (const event of received) {
      const place = ["webhooks", event.type, "post", "requestBody", "content", "application/json"];
      validate(event, ...place, "schema");
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Waits until a condition holds, at most for 20 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await condition()) return;
    await pause(50);
  }
  throw new Error(`timed out: ${condition}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { LEADLINE_BASE_URL = "", LEADLINE_API_KEY = "" } = process.env;
  const called = await callEverything(LEADLINE_BASE_URL, LEADLINE_API_KEY);
  console.log(`ok: ${called.length} operations`);
}
