import { LeadlineError } from "./errors.js";
import type { webhooks } from "./developer.js";

type Kinds = {
  [Kind in keyof webhooks]: webhooks[Kind]["post"]["requestBody"]["content"]["application/json"];
};

/**
 * An event as endpoints receive it; `type` is its kind. Later versions of the server
 * may send other kinds and more fields: ignore those that you do not know.
 */
export type WebhookEvent = Kinds[keyof Kinds];

/** The events of one kind, such as `WebhookEventOf<"quota.warning">`. */
export type WebhookEventOf<Kind extends keyof Kinds> = Kinds[Kind];

/** Headers of a request: a Headers object, or an object such as `request.headers` of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Seconds that the time of the request may differ from the clock: 300. */
  tolerance?: number | undefined;
  /** Unix seconds to use in place of the clock. */
  now?: number | undefined;
}

/** The request is not one that Leadline has signed in the last minutes. Respond with 400. */
export class WebhookVerificationError extends LeadlineError {
  override get name(): string {
    return "WebhookVerificationError";
  }
}

/**
 * Verifies a request by Standard Webhooks and returns its event. Throws
 * WebhookVerificationError if a header is missing, if the time of the request is off, or if no
 * signature matches. Throws TypeError for a body that was parsed already, and LeadlineError for a
 * secret that is not one.
 *
 * @param body The bytes as they arrived, before any JSON parser.
 * @param secret The secret of the endpoint, or several while it is being replaced.
 *
 * @example
 * const event = await verifyWebhook(await request.arrayBuffer(), request.headers, secret);
 * if (event.type === "quota.warning") console.log(event.data.remaining);
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const keys = [secret].flat().map(keyOf);
  if (!keys.length) throw new LeadlineError("verifyWebhook needs a secret");
  const id = header(headers, "webhook-id");
  const time = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  const { tolerance = 300, now = Date.now() / 1000 } = options;
  if (!/^\d{1,12}$/.test(time))
    throw new WebhookVerificationError("webhook-timestamp is not a time");
  // Written so that a tolerance that is not a number accepts nothing.
  if (!(Math.abs(now - Number(time)) <= tolerance)) {
    throw new WebhookVerificationError(
      `webhook-timestamp ${time} is more than ${tolerance} s from the clock`,
    );
  }
  const head = new TextEncoder().encode(`${id}.${time}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  if (!(await matches(keys, signatures, signed))) {
    throw new WebhookVerificationError("no signature matches");
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

async function matches(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const given = signatures.split(" ").flatMap((one) => {
    const signature = one.startsWith("v1,") && decode(one.slice(3));
    return signature ? [signature] : [];
  });
  for (const key of keys) {
    const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
    for (const one of given) {
      if (await crypto.subtle.verify("HMAC", imported, one, signed)) return true;
    }
  }
  return false;
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  }
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") {
    return new Uint8Array(body as ArrayBuffer);
  }
  throw new TypeError(
    "verifyWebhook needs the bytes of the body, not a parsed object: read it before a JSON parser",
  );
}

function header(headers: WebhookHeaders, name: string): string {
  let value: unknown;
  if (typeof headers.get === "function") value = headers.get(name);
  else {
    for (const [key, one] of Object.entries(headers)) {
      if (key.toLowerCase() === name) value = Array.isArray(one) ? one.join() : one;
    }
  }
  if (typeof value !== "string" || !value) throw new WebhookVerificationError(`${name} is missing`);
  return value;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = typeof secret === "string" && decode(secret.replace(/^whsec_/, ""));
  if (!key || key.length < 16) {
    throw new LeadlineError("invalid webhook secret: must be whsec_ and base64");
  }
  return key;
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
