import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
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

// Requests that must be refused, each with the reason.
const refused: [string, string, WebhookHeaders, RegExp][] = [
  ["another body", `${body} `, signed(), /no signature matches/],
  ["another id", body, signed(sign(), String(now), "msg_1"), /no signature matches/],
  ["another time", body, signed(sign(), String(now + 1)), /no signature matches/],
  ["another secret", body, signed(sign(other)), /no signature matches/],
  ["another version", body, signed(sign().replace("v1,", "v2,")), /no signature matches/],
  ["no version", body, signed(sign().slice(3)), /no signature matches/],
  ["half a signature", body, signed(sign().slice(0, 20)), /no signature matches/],
  ["an empty signature", body, signed("v1,"), /no signature matches/],
  ["a signature that is not base64", body, signed("v1,*"), /no signature matches/],
  ["an old time", body, signed(sign(secret, now - 301), String(now - 301)), /more than 300 s/],
  ["an early time", body, signed(sign(secret, now + 301), String(now + 301)), /more than 300 s/],
  ["a word as time", body, signed(sign(), "soon"), /webhook-timestamp is not a time/],
  ["a negative time", body, signed(sign(), `-${now}`), /webhook-timestamp is not a time/],
  ["no signature", body, { ...signed(), "webhook-signature": undefined }, /-signature is missing/],
  ["no id", body, { ...signed(), "webhook-id": "" }, /webhook-id is missing/],
  ["no time", body, new Headers(), /is missing/],
];
for (const [name, text, headers, want] of refused) {
  test(`a request with ${name} is refused`, async () => {
    const error = await rejection(verifyWebhook(text, headers, secret, { now }));
    assert.ok(error instanceof WebhookVerificationError && error instanceof LeadlineError);
    assert.equal(error.name, "WebhookVerificationError");
    assert.match(error.message, want);
    assert.equal(error.message.includes(secret.slice(6)), false);
  });
}

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

test("a parsed body and a wrong secret are faults of the program", async () => {
  const parsed = JSON.parse(body);
  for (const one of [parsed, undefined, [parsed]]) {
    const error = await rejection(verifyWebhook(one, signed(), secret, { now }));
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /not a parsed object: read it before a JSON parser/);
  }
  for (const one of [
    "",
    "whsec_",
    "whsec_hidden*",
    "whsec_c2hvcnQ=",
    [],
    [secret, ""],
    undefined,
  ]) {
    const error = await rejection(verifyWebhook(body, signed(), one as string, { now }));
    assert.ok(error instanceof LeadlineError, String(one));
    assert.equal(error.name, "LeadlineError");
    assert.doesNotMatch(error.message, /hidden/);
  }
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
  for (const [name, text, headers] of refused) {
    const plain = headers instanceof Headers ? Object.fromEntries(headers) : headers;
    assert.throws(() => reference.verify(text, plain as Record<string, string>), name);
  }
});

test("type narrows an event to its kind", async () => {
  const got: WebhookEvent = await verifyWebhook(body, signed(), secret, { now });
  assert.equal(got.type === "webhook.test" && got.data.cause, "created");
});
