import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { LeadlineError } from "leadline";
import { WebhookVerificationError, verifyWebhook } from "leadline/webhooks";
import type { WebhookEvent, WebhookEventOf, WebhookHeaders } from "leadline/webhooks";
import { rejection } from "./server.js";

const now = 1_795_791_730;
const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const other = `whsec_${Buffer.from("fedcba9876543210fedcba9876543210").toString("base64")}`;
const id = "msg_019a8f3c7b1e7c3a9d5e2f4061728394";
const event: WebhookEventOf<"webhook.test"> = {
  type: "webhook.test",
  timestamp: "2026-11-27T15:02:10Z",
  data: {
    eventId: id,
    contractVersion: "2026-07-09",
    endpoint: "we_4fT9kQ2mZx7LbN",
    cause: "created",
    message: "Test event. Größe: 3 m.",
  },
};
const body = JSON.stringify(event);

// sign is written from the specification, apart from both libraries.
function sign(key = secret, at = now, text = body, name = id): string {
  const mac = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"));
  return `v1,${mac.update(`${name}.${at}.${text}`).digest("base64")}`;
}

const signed = (signature = sign(), at = String(now), name = id) => ({
  "webhook-id": name,
  "webhook-timestamp": at,
  "webhook-signature": signature,
});

test("a signed request is an event, in all forms of body and headers", async () => {
  const bytes = new TextEncoder().encode(body);
  const padded = new Uint8Array(bytes.length + 8);
  padded.set(bytes, 4);
  const bodies = [body, bytes, Buffer.from(body), bytes.buffer, padded.subarray(4, -4)];
  for (const one of bodies)
    assert.deepEqual(await verifyWebhook(one, signed(), secret, { now }), event);
  const upper = Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]);
  const lists = Object.entries(signed()).map(([name, value]) => [name, [value]]);
  const headers: WebhookHeaders[] = [
    new Headers(signed()),
    Object.fromEntries(upper),
    Object.fromEntries(lists),
    new Map(Object.entries(signed())),
  ];
  for (const one of headers)
    assert.deepEqual(await verifyWebhook(body, one, secret, { now }), event);
});

test("one of several secrets and signatures is enough", async () => {
  const pair = `${sign(other)} ${sign()}`;
  assert.deepEqual(await verifyWebhook(body, signed(), [other, secret], { now }), event);
  assert.deepEqual(await verifyWebhook(body, signed(pair), secret, { now }), event);
  assert.deepEqual(await verifyWebhook(body, signed(`v1a,x v2,y ${pair}`), secret, { now }), event);
  assert.deepEqual(await verifyWebhook(body, signed(), secret.slice(6), { now }), event);
});

interface Vector {
  name: string;
  want: string;
  body?: string;
  headers?: Record<string, string | null>;
  secrets?: string[];
  tolerance?: number;
}

// The clients in all languages must agree about these.
const file = new URL("../../../vectors/webhooks.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8"));

// requestOf returns the request of a vector.
function requestOf(vector: Vector) {
  const { headers, ...request } = { ...vectors.request, ...vector };
  const all = Object.entries({ ...vectors.request.headers, ...headers });
  const given = all.filter(([, value]) => value !== null);
  return { ...request, headers: Object.fromEntries(given) };
}

for (const vector of vectors.cases as Vector[]) {
  test(`a request with ${vector.name}: ${vector.want}`, async () => {
    const { body, headers, secrets, tolerance } = requestOf(vector);
    const options = { now: vectors.now, tolerance };
    for (const given of [headers, new Headers(headers)]) {
      const call = verifyWebhook(body, given, secrets, options);
      if (vector.want === "event") {
        assert.deepEqual(await call, JSON.parse(body));
        continue;
      }
      const error = await rejection(call);
      assert.ok(error instanceof LeadlineError, String(error));
      assert.equal(error.name, vector.want);
      assert.equal(error instanceof WebhookVerificationError, error.name !== "LeadlineError");
      for (const secret of secrets)
        assert.ok(!secret || secret.length < 7 || !error.message.includes(secret.slice(6)));
    }
  });
}

test("a refusal says what is wrong", async () => {
  const reason = async (headers: WebhookHeaders, text = body) =>
    ((await rejection(verifyWebhook(text, headers, secret, { now }))) as Error).message;
  assert.equal(await reason({}), "webhook-id is missing");
  assert.match(await reason(signed(sign(), "1")), /^webhook-timestamp is not within 300 s of the/);
  assert.match(await reason(signed(), `${body} `), /another secret, or the body was changed$/);
});

test("the tolerance can be changed, and nothing is within a wrong one", async () => {
  const options = { now: now + 900, tolerance: 900 };
  assert.deepEqual(await verifyWebhook(body, signed(), secret, options), event);
  for (const tolerance of [899, NaN, -1]) {
    const error = await rejection(
      verifyWebhook(body, signed(), secret, { now: now + 900, tolerance }),
    );
    assert.ok(error instanceof WebhookVerificationError);
  }
});

test("a parsed body and a secret that is missing are faults of the program", async () => {
  const parsed = JSON.parse(body);
  for (const one of [parsed, undefined, [parsed]]) {
    const error = await rejection(verifyWebhook(one, signed(), secret, { now }));
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /not a parsed object: read it before a JSON parser/);
  }
  const none = await rejection(verifyWebhook(body, undefined as never, secret, { now }));
  assert.equal(String(none), "WebhookVerificationError: webhook-id is missing");
  const error = await rejection(verifyWebhook(body, signed(), undefined as never, { now }));
  assert.ok(error instanceof LeadlineError);
  assert.equal(error.name, "LeadlineError");
});

test("a forged body is not parsed", async (t) => {
  const parse = t.mock.method(JSON, "parse");
  await rejection(verifyWebhook('{"type": "forged"}', signed(), secret, { now }));
  assert.equal(parse.mock.callCount(), 0);
});

test("the reference library signs what is accepted here", async (t) => {
  const reference = new Webhook(secret);
  t.mock.timers.enable({ apis: ["Date"], now: now * 1000 });
  const signature = reference.sign(id, new Date(now * 1000), body);
  assert.equal(signature, sign());
  assert.deepEqual(await verifyWebhook(body, signed(signature), secret), event);
});

test("the reference library refuses what is refused here", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: now * 1000 });
  const reference = new Webhook(secret);
  assert.deepEqual(reference.verify(body, signed()), event);
  for (const vector of vectors.cases as Vector[]) {
    if (vector.want !== "WebhookVerificationError") continue;
    const { body: text, headers, secrets } = requestOf(vector);
    assert.throws(() => new Webhook(secrets[0]).verify(text, headers), vector.name);
  }
});

test("type narrows an event to its kind", async () => {
  const got: WebhookEvent = await verifyWebhook(body, signed(), secret, { now });
  assert.equal(got.type === "webhook.test" && got.data.cause, "created");
});
