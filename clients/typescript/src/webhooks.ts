import { LeadlineError } from "./errors.js";
import type { webhooks } from "./openapi.js";

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
 * secret that is not one: base64 of at least 16 bytes, with or without `whsec_`.
 *
 * @param body The body as it arrived, in bytes or as text, before any JSON parser.
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
  const secrets = [secret].flat();
  const keys = (secrets.length ? secrets : [""]).map(keyOf);
  const id = header(headers, "webhook-id");
  const time = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  const { tolerance = 300, now = Date.now() / 1000 } = options;
  // Written so that a tolerance that is not a number accepts nothing.
  if (!(/^\d{1,12}$/.test(time) && Math.abs(now - +time) <= tolerance)) {
    throw new WebhookVerificationError(
      `webhook-timestamp is not within ${tolerance} s of the clock`,
    );
  }
  const signed = await new Blob([`${id}.${time}.`, bytes]).arrayBuffer();
  if (!(await matches(keys, signatures, signed))) {
    throw new WebhookVerificationError(
      "no signature matches: another secret, or the body was changed",
    );
  }
  try {
    const event = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof event.type === "string" && event.data) return event;
  } catch {
    // The next line reports it.
  }
  throw new LeadlineError("the body is signed, but is not an event");
}

/** Reports whether a signature is that of a key. */
async function matches(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: string,
  signed: ArrayBuffer,
): Promise<boolean> {
  for (const key of keys) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
    for (const one of signatures.split(" ")) {
      const signature = one.startsWith("v1,") && decode(one.slice(3));
      if (signature && (await crypto.subtle.verify("HMAC", imported, signature, signed)))
        return true;
    }
  }
  return false;
}

function bytesOf(body: any): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  // An ArrayBuffer has no buffer, and no byteOffset.
  if (body?.byteLength >= 0) {
    return new Uint8Array(body.buffer ?? body, body.byteOffset, body.byteLength);
  }
  throw new TypeError(
    "the body must be bytes or text, not a parsed object: read it before a JSON parser",
  );
}

function header(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers?.get === "function"
      ? headers.get(name)
      : Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  if (!value?.length) throw new WebhookVerificationError(`${name} is missing`);
  return [value].flat().join(" ");
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = typeof secret === "string" && decode(secret.replace(/^whsec_/, ""));
  if (!key || key.length < 16) {
    throw new LeadlineError("invalid webhook secret: must be whsec_ and base64, as it was shown");
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
