import { APIConnectionError, APITimeoutError, LeadlineError, errorOf, refusal } from "./errors.js";
import type { paths as Contract } from "./contract.js";
import type { paths as Developer } from "./developer.js";
import type { paths as Planning } from "./planning.js";
import { CONTRACT, VERSION } from "./version.js";

/** Settings of a client. */
export interface Options extends CallSettings {
  /** Address of the server, such as `https://leadline.example.org`. Else LEADLINE_BASE_URL. */
  baseUrl?: string | undefined;
}

/** Settings of one call, which win over those of the client. */
export interface CallOptions extends CallSettings {
  /** Ends the call, also while it waits for another attempt. */
  signal?: AbortSignal | undefined;
}

/** Settings that a client and a call can have. */
export interface CallSettings {
  /**
   * API key, or a function that returns the present one before each attempt. Else
   * LEADLINE_API_KEY. It is sent as a Bearer credential, and over https only (or to loopback).
   * An empty one is none.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Milliseconds that an attempt may take: 30,000. */
  timeout?: number | undefined;
  /** Attempts after the first one: 2. */
  maxRetries?: number | undefined;
  /** Longest Retry-After in milliseconds that is waited for: 20,000. */
  maxRetryWait?: number | undefined;
  /** Your program, such as `mysite/1.2`, for the User-Agent header. Browsers send their own. */
  appInfo?: string | undefined;
  /** A function to use in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Allows a key in a page, where everybody who loads the page can read it. */
  dangerouslyAllowBrowser?: boolean | undefined;
  /** Is called before each attempt. */
  onRequest?: ((request: RequestNotice) => void) | undefined;
  /** Is called after each attempt. */
  onResponse?: ((response: ResponseNotice) => void) | undefined;
  /**
   * Is called once, when the server announces the end of the contract of this client. Without
   * it, the two dates are printed by `console.warn`, once a process.
   */
  onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
}

export interface RequestNotice {
  method: string;
  /** Path without the query. */
  path: string;
  /** 1 for the first attempt. */
  attempt: number;
}

export interface ResponseNotice extends RequestNotice {
  /** HTTP status; null: there was no complete response. */
  status: number | null;
  /** Milliseconds that the attempt took. */
  ms: number;
  /** Empty if the server sent none. */
  requestId: string;
}

export interface DeprecationNotice {
  /** The contract of this client. */
  contract: string;
  /** Since when it is deprecated. */
  deprecatedAt: Date | null;
  /** When it ends. */
  sunsetAt: Date | null;
  /** The Link header, with the documentation and the successor. */
  link: string | null;
}

/** Facts about a response. Limits are null if its headers do not have them. */
export interface Meta {
  readonly status: number;
  /** Id of the request in the log of the server; empty if the server sent none. */
  readonly requestId: string;
  /** Attempts before this response. */
  readonly retries: number;
  /** Contract of the response; null if the server does not name it. */
  readonly contract: string | null;
  /** Requests allowed in any 60 seconds, those left, and when one more is allowed. */
  readonly rateLimit: Limit | null;
  /** Units of the UTC calendar month, those left, and when the next month begins. */
  readonly quota: Quota | null;
  readonly headers: Headers;
}

export interface Limit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

export interface Quota extends Limit {
  readonly warning: "none" | "approaching" | "critical" | "exhausted";
}

/** A result. `$meta` is not enumerable: it is neither printed nor serialized. */
export type Result<T> = T & { readonly $meta: Meta };

export type Paths = Contract & Developer & Planning;
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** The query of a route with GET. */
export type Query<Path extends keyof Paths> = Paths[Path] extends {
  get: { parameters: { query?: infer Q } };
}
  ? NonNullable<Q>
  : never;

type Operation<Path extends keyof Paths, M extends Method> = NonNullable<Paths[Path][Lowercase<M>]>;

type Answer<Path extends keyof Paths, M extends Method> =
  Operation<Path, M> extends { responses: { 200: { content: { "application/json": infer A } } } }
    ? A
    : never;

type Parameters<Path extends keyof Paths, M extends Method> =
  Operation<Path, M> extends { parameters: { path: infer P } } ? P : object;

type Body<Path extends keyof Paths, M extends Method> =
  Operation<Path, M> extends { requestBody: { content: { "application/json": infer B } } }
    ? B
    : undefined;

/** Sends a request to a route of the documents and returns its result. */
export type Send = <Path extends keyof Paths, M extends Method>(
  method: M,
  path: Path,
  parameters: Parameters<Path, M>,
  input: M extends "GET" ? Query<Path> | undefined : Body<Path, M>,
  call?: CallOptions,
) => Promise<Result<Answer<Path, M>>>;

/** The largest body that is read, decompressed, in bytes. */
const largest = 32 << 20;

/** The longest delay of setTimeout, which takes a longer one for none. */
const longest = 2 ** 31 - 1;

type Numbers = "timeout" | "maxRetries" | "maxRetryWait";
type Settings = Omit<CallOptions, Numbers> & Record<Numbers, number>;

/** Why an attempt has no result, and whether and when there may be another one. */
interface Failure {
  error: LeadlineError;
  again: boolean;
  wait?: number | undefined;
}

/** Returns the function through which all methods of a client send their requests. */
export function connect(options: Options): Send {
  const base = baseOf(options.baseUrl || environment("BASE_URL"));
  const apiKey = environment("API_KEY");
  const client = merge(
    { timeout: 30_000, maxRetries: 2, maxRetryWait: 20_000, apiKey },
    options,
    base,
  );

  return (async (
    method: Method,
    path: string,
    parameters: Record<string, unknown>,
    input: object | undefined,
    call: CallOptions = {},
  ) => {
    const settings = merge(client, call, base);
    const { signal, maxRetries, maxRetryWait } = settings;
    const route = fill(path, parameters);
    const reads = method === "GET";
    const url = base.href + route.slice(1) + (reads ? search(input) : "");
    const body = reads || !input ? null : JSON.stringify(input);
    for (let retries = 0; ; retries++) {
      signal?.throwIfAborted();
      const outcome = await attempt(method, route, url, body, settings, retries);
      if (!("error" in outcome)) return outcome.result;
      const { error, again, wait } = outcome;
      if (!again || retries >= maxRetries || wait! > maxRetryWait) throw error;
      const random = Math.random();
      const delay =
        wait === undefined
          ? Math.min(random * Math.min(4000, 500 * 2 ** retries), maxRetryWait)
          : wait * (1 + random / 10);
      await new Promise<void>((resolve, reject) => {
        limit(delay, signal, resolve, reject);
      });
    }
  }) as Send;
}

/** Sends a request once. */
async function attempt(
  method: Method,
  path: string,
  url: string,
  body: string | null,
  settings: Settings,
  retries: number,
): Promise<Failure | { result: object }> {
  const { apiKey, timeout, signal, onRequest, onResponse } = settings;
  const key = typeof apiKey === "function" ? await apiKey() : apiKey;
  const headers = headersOf(settings, key, body);
  const notice = { method, path, attempt: retries + 1 };
  const stop = new AbortController();
  let late = false;
  let fault: unknown;
  let meta: Meta | undefined;
  let text: string | null | undefined;
  onRequest?.(notice);
  const start = performance.now();
  const end = limit(
    timeout,
    signal,
    () => {
      late = true;
      stop.abort();
    },
    (reason) => stop.abort(reason),
  );
  try {
    const fetch = settings.fetch ?? globalThis.fetch;
    const response = await fetch(url, {
      method,
      headers,
      body,
      redirect: "manual",
      signal: stop.signal,
      ...(inPage() && { credentials: "omit" }),
    });
    text = await textOf(response);
    meta = metaOf(response, retries);
  } catch (error) {
    signal?.throwIfAborted();
    fault = error;
  } finally {
    end();
  }
  onResponse?.({
    ...notice,
    status: meta ? meta.status : null,
    ms: performance.now() - start,
    requestId: meta ? meta.requestId : "",
  });

  // Reads and decisions change nothing, so they can be sent again after any failure. The
  // others are sent again only if the server has refused them.
  const harmless = method === "GET" || path.startsWith("/api/v1/");
  if (!meta) {
    const why = late ? `no response within ${timeout} ms` : `connection failed${codeOf(fault)}`;
    const error = new (late ? APITimeoutError : APIConnectionError)(`${method} ${path}: ${why}`, {
      cause: fault,
    });
    return { error, again: harmless };
  }

  const { status, contract } = meta;
  if (meta.headers.has("deprecation")) announce(settings.onDeprecation ?? warn, meta);
  if (text == null) throw refusal(meta, "the response is larger than 32 MiB");
  // Browsers show a redirect as status 0.
  if (!status || (status > 299 && status < 400)) {
    throw refusal(meta, "the server redirects: set baseUrl to the target");
  }
  const result = parse(text);
  if (result && (status < 300 || (status === 503 && "components" in result))) {
    if (contract && contract !== CONTRACT) {
      throw refusal(meta, `the response is of contract ${contract}, not of ${CONTRACT}`);
    }
    return { result: Object.defineProperty(result, "$meta", { value: meta, enumerable: false }) };
  }

  const error = errorOf(meta, withoutSecrets(text, key), parse);
  return {
    error,
    again:
      error.code !== "quota_exceeded" &&
      (status === 429 || status === 503 || (harmless && (status === 502 || status === 504))),
    wait: error.retryAfter && error.retryAfter * 1000,
  };
}

/** Calls one of two functions, at a time or when a signal aborts. Returns how to prevent that. */
function limit(
  milliseconds: number,
  signal: AbortSignal | undefined,
  expire: () => void,
  abort: (reason: unknown) => void,
): () => void {
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", aborted);
  };
  const aborted = () => {
    end();
    abort(signal!.reason);
  };
  const timer = setTimeout(
    () => {
      end();
      expire();
    },
    Math.min(milliseconds, longest),
  );
  signal?.addEventListener("abort", aborted);
  if (signal?.aborted) aborted();
  return end;
}

/** Returns the body of a response, or null if it is too large. */
async function textOf(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > largest) {
      // The connection is given up; that it may fail to end changes nothing.
      reader.cancel().catch(() => {});
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns a body that is a JSON object. */
function parse(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (body instanceof Object && !Array.isArray(body)) return body;
  } catch {
    // The caller reports the text.
  }
  return undefined;
}

/** Returns a body for an error: a proxy may print the headers of the request in its page. */
function withoutSecrets(text: string, key: string | undefined): string {
  const rest = key ? text.replaceAll(key, "***") : text;
  return rest.replace(/(whsec_|ldl_live_)[\w+/=]+/g, "$1***");
}

function metaOf({ status, headers }: Response, retries: number): Meta {
  const month = limitOf(headers, "x-quota-month");
  const warning = (headers.get("x-quota-warning") ?? "none") as Quota["warning"];
  return {
    status,
    requestId: headers.get("x-request-id") ?? "",
    retries,
    contract: headers.get("leadline-version"),
    rateLimit: limitOf(headers, "x-ratelimit"),
    quota: month && { ...month, warning },
    headers,
  };
}

function limitOf(headers: Headers, prefix: string): Limit | null {
  const number = (name: string) => parseInt(headers.get(`${prefix}-${name}`)!);
  const limit = number("limit");
  const remaining = number("remaining");
  const reset = number("reset");
  // A sum with a part that is not a number is not one.
  return limit + remaining + reset >= 0
    ? { limit, remaining, resetsAt: new Date(reset * 1000) }
    : null;
}

/** The functions that were called about a deprecation. */
const announced = new WeakSet<object>();

function announce(listener: (notice: DeprecationNotice) => void, { headers }: Meta): void {
  if (announced.has(listener)) return;
  announced.add(listener);
  const date = (time: number) => (time ? new Date(time) : null);
  listener({
    contract: CONTRACT,
    // A structured date of RFC 9745: @ and Unix seconds.
    deprecatedAt: date(Number(headers.get("deprecation")!.slice(1)) * 1000),
    sunsetAt: date(Date.parse(headers.get("sunset")!)),
    link: headers.get("link"),
  });
}

function warn({ contract, deprecatedAt, sunsetAt }: DeprecationNotice): void {
  const day = (date: Date | null) => date?.toISOString().slice(0, 10);
  console.warn(
    `leadline: contract ${contract} is deprecated since ${day(deprecatedAt)}, ` +
      `ends ${day(sunsetAt)}`,
  );
}

/** Returns settings over others. Those that are undefined change nothing. */
function merge(base: Settings, over: CallOptions, { protocol, hostname }: URL): Settings {
  const given = Object.entries(over).filter(([, value]) => value !== undefined);
  const settings: Settings = { ...base, ...Object.fromEntries(given) };
  for (const name of ["timeout", "maxRetries", "maxRetryWait"] as const) {
    ensure(settings[name] >= 0, `invalid ${name}: must be a number of at least 0`);
  }
  const { apiKey } = settings;
  if (!apiKey) return settings;
  if (typeof apiKey !== "function") checkKey(apiKey);
  ensure(
    !inPage() || settings.dangerouslyAllowBrowser,
    "a page shows its API key to everybody: use a server, or dangerouslyAllowBrowser",
  );
  ensure(
    protocol === "https:" || /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1]$/.test(hostname),
    "an API key is sent over https only: change baseUrl",
  );
  return settings;
}

function ensure(condition: unknown, message: string): asserts condition {
  if (!condition) throw new LeadlineError(message);
}

/** Fails unless a key can be the value of a header. The error does not contain it. */
function checkKey(key: unknown): void {
  ensure(
    typeof key === "string" && /^[!-~]+$/.test(key),
    "invalid apiKey: must be printable ASCII without spaces",
  );
}

function headersOf({ appInfo }: Settings, key: string | undefined, body: string | null): Headers {
  const headers = new Headers({ accept: "application/json" });
  if (body) headers.set("content-type", "application/json");
  if (key) {
    checkKey(key);
    headers.set("authorization", `Bearer ${key}`);
  }
  // Pages have a User-Agent of their own. The version would make each of their reads ask for
  // permission first; without it the oldest contract is used, and that is the one of this client.
  if (!inPage()) {
    headers.set("leadline-version", CONTRACT);
    headers.set("user-agent", agent() + (appInfo ? ` ${appInfo}` : ""));
  }
  return headers;
}

const runtime = globalThis as {
  process?: {
    env?: Record<string, string>;
    versions?: Record<string, string>;
    platform?: string;
  };
  document?: unknown;
};

function inPage(): boolean {
  return !!runtime.document;
}

function environment(name: string): string | undefined {
  try {
    return runtime.process!.env![`LEADLINE_${name}`];
  } catch {
    return undefined; // a browser, or Deno without the permission to read it
  }
}

function agent(): string {
  const { versions, platform } = runtime.process ?? {};
  const name = ["deno", "bun", "node"].find((one) => versions?.[one]);
  const version = name && versions![name]!.split(".", 2).join(".");
  return `leadline-typescript/${VERSION}${name ? ` (${name}/${version}; ${platform})` : ""}`;
}

function baseOf(address: string | undefined): URL {
  ensure(address, "baseUrl is missing: pass it or set LEADLINE_BASE_URL");
  let url: URL | undefined;
  try {
    url = new URL(address);
  } catch {
    // The next line reports it. The address is not printed: it may contain a password.
  }
  ensure(
    url && /^https?:$/.test(url.protocol) && !(url.username + url.password + url.search + url.hash),
    "invalid baseUrl: must be such as https://leadline.example.org",
  );
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** Returns a path with its parameters. */
function fill(path: string, parameters: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    // URLs drop segments of dots, so that these would address another route.
    ensure(
      typeof value === "string" && !/^\.{0,2}$/.test(value),
      `invalid ${name}: must be a string that is not empty`,
    );
    return encodeURIComponent(value);
  });
}

function search(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value != null);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

/** Returns what a failed fetch says about the reason, such as ECONNREFUSED. */
function codeOf(fault: any): string {
  const code: unknown = fault?.cause?.code ?? fault?.code;
  return typeof code === "string" ? ` (${code})` : "";
}
