import { APIConnectionError, APIError, APITimeoutError, LeadlineError, failure } from "./errors.js";
import type { paths as Paths } from "./openapi.js";
import { queue } from "./queue.js";
import { CONTRACT, VERSION } from "./version.js";

/** Settings of a client. */
export interface Options extends CallSettings {
  /** Address of the server, such as `https://leadline.example.org`. Else LEADLINE_BASE_URL. */
  baseUrl?: string | undefined;
}

/** Settings of one call, which win over those of the client. */
export interface CallOptions extends CallSettings {
  /** Ends the call, also while it waits for its turn or for another attempt. */
  signal?: AbortSignal | undefined;
}

/** Settings that a client and a call can have. */
export interface CallSettings {
  /**
   * API key, or a function that returns the present one before each attempt. Else
   * LEADLINE_API_KEY. It is sent as a Bearer credential, and over https only (or to loopback).
   * An empty string is refused; a function returns one to send no key.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Milliseconds that an attempt may take: 30,000. A wait for the turn is not counted. */
  timeout?: number | undefined;
  /** Attempts after the first one: 2. */
  maxRetries?: number | undefined;
  /** Longest Retry-After in milliseconds that is waited for: 20,000. */
  maxRetryWait?: number | undefined;
  /** Your program, such as `mysite/1.2`, for the User-Agent header. Browsers send their own. */
  appInfo?: string | undefined;
  /** A function to use in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Allows a key in a page, where everybody who loads the page can read it. Servers take keys only
   * from pages of their own origin.
   */
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

/** The arguments for the parameters of a path. */
type Ids<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...Ids<Rest>]
  : [];

type Body<Path extends keyof Paths, M extends Method> =
  Operation<Path, M> extends { requestBody?: { content: { "application/json": infer B } } }
    ? B
    : never;

/** The argument for a query or a body. */
type Input<Path extends keyof Paths, M extends Method> = [
  input?: (M extends "GET" ? Query<Path> : Body<Path, M>) | undefined,
];

/** Method and path of an operation, and "?" if it has an input: a query or a body. */
type Route = `${Method} ${keyof Paths}${"" | "?"}`;

/** The method of a client for a route: ids, input, settings of the call. */
type Call<R> = R extends `${infer M extends Method} ${infer P extends keyof Paths}?`
  ? Send<[...Ids<P>, ...Input<P, M>], Answer<P, M>>
  : R extends `${infer M extends Method} ${infer P extends keyof Paths}`
    ? Send<Ids<P>, Answer<P, M>>
    : never;

type Send<Given extends unknown[], A> = (
  ...args: [...Given, call?: CallOptions | undefined]
) => Promise<Result<A>>;

type Numbers = "timeout" | "maxRetries" | "maxRetryWait";
type Settings = Omit<CallOptions, Numbers> & Record<Numbers, number>;

/** Returns a function that makes the methods of a client. */
export function connect(options: Options): <R extends Route>(route: R) => Call<R> {
  const base = baseOf(options.baseUrl || environment("BASE_URL"));
  const client = merge(
    { timeout: 30_000, maxRetries: 2, maxRetryWait: 20_000, apiKey: environment("API_KEY") },
    options,
    base,
  );
  const run = queue();

  return ((route: string) => {
    const [method, pattern, hasInput] = route.split(/[ ?]/) as [string, string, string?];
    return async (...args: any[]) => {
      const path = pattern.replace(/{(\w+)}/g, (_, name) => {
        const id = args.shift();
        // URLs drop segments of dots, so that these would address another route.
        ensure(typeof id === "string" && /[^.]/.test(id), name, "be a non-empty string");
        return encodeURIComponent(id);
      });
      const input = hasInput == null ? hasInput : (args.shift() ?? {});
      const settings = merge(client, args[0] ?? {}, base);
      // A call keeps its place until it ends, also while it waits for another attempt.
      return run(() => send(method, path, input, base, settings), settings.signal);
    };
  }) as <R extends Route>(route: R) => Call<R>;
}

/** Sends a request until it has a result. */
async function send(
  method: string,
  path: string,
  input: object | undefined,
  base: string,
  settings: Settings,
): Promise<object> {
  const { signal, maxRetryWait } = settings;
  const reads = method === "GET";
  const url = new URL(base + path);
  if (reads && input) url.search = new URLSearchParams(given(input)) as never;
  const body = reads ? undefined : JSON.stringify(input);
  // Reads, decisions and plans change nothing, so they can be sent again after any failure. The
  // others are sent again only if the server has refused them.
  const harmless = reads || !path.startsWith("/api/developer/");
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(method, path, url.href, body, settings, retries);
    } catch (error: any) {
      const wait = error?.retryAfter * 1000; // not a number without a Retry-After
      const again =
        error instanceof APIError
          ? error.code !== "quota_exceeded" &&
            (harmless ? /429|50[234]/ : /429|503/).test(`${error.status}`)
          : harmless && error instanceof APIConnectionError;
      if (!again || retries >= settings.maxRetries || wait > maxRetryWait) throw error;
      const random = Math.random();
      // If the signal ends the wait, the next attempt throws its reason.
      const delay =
        wait >= 0
          ? wait * (1 + random / 10)
          : random * Math.min(4000, 500 * 2 ** retries, maxRetryWait);
      await new Promise<void>((resolve) => limit(delay, signal, resolve));
    }
  }
}

/** Sends a request once. */
async function attempt(
  method: string,
  path: string,
  url: string,
  body: string | undefined,
  settings: Settings,
  retries: number,
): Promise<object> {
  const { apiKey, timeout, signal, fetch: request = fetch } = settings;
  signal?.throwIfAborted();
  const key = typeof apiKey === "function" ? await apiKey() : apiKey;
  const headers = headersOf(settings, key, body);
  const notice = { method, path, attempt: retries + 1 };
  settings.onRequest?.(notice);
  signal?.throwIfAborted();
  const stop = new AbortController();
  let meta: Meta | undefined;
  let text: string | undefined;
  const start = performance.now();
  const end = limit(timeout, signal, () => stop.abort());
  try {
    const response = await request(url, {
      method,
      headers,
      body: body!,
      redirect: "manual",
      signal: stop.signal,
      ...(inPage() && { credentials: "omit" }),
    });
    text = await textOf(response);
    meta = metaOf(response, retries);
  } catch (fault: any) {
    signal?.throwIfAborted();
    const late = stop.signal.aborted;
    throw new (late ? APITimeoutError : APIConnectionError)(
      `${method} ${path}: ` +
        (late
          ? `no response within ${timeout} ms`
          : `connection failed (${(fault?.cause ?? fault)?.code ?? fault?.name})`),
      { cause: fault },
    );
  } finally {
    end();
    stop.abort(); // gives up the connection of a response that is too large
    settings.onResponse?.({
      ...notice,
      status: meta?.status ?? null,
      ms: performance.now() - start,
      requestId: meta?.requestId ?? "",
    });
  }
  return resultOf(meta, text, key, settings.onDeprecation ?? warn);
}

/** Returns the result of a response or throws its error. */
function resultOf(
  meta: Meta,
  text: string | undefined,
  key: string | undefined,
  onDeprecation: (notice: DeprecationNotice) => void,
): object {
  const { status, contract, headers } = meta;
  const deprecation = headers.get("deprecation");
  if (deprecation && !announced.has(onDeprecation)) {
    announced.add(onDeprecation);
    onDeprecation({
      contract: CONTRACT,
      // A structured date of RFC 9745: @ and Unix seconds.
      deprecatedAt: dateOf(+deprecation.slice(1)),
      sunsetAt: dateOf(Date.parse(headers.get("sunset")!) / 1000),
      link: headers.get("link"),
    });
  }
  if (text == null) throw failure(meta, "the response is larger than 32 MiB");
  const result = parse(text);
  const isResult = status > 199 && status < 300;
  if (result && (isResult || (status === 503 && "components" in result))) {
    if (contract && contract !== CONTRACT) {
      throw failure(meta, `the response is of contract ${contract}, not of ${CONTRACT}`);
    }
    if (result.secret) {
      // console.log shows a result without its secret.
      Object.defineProperty(result, Symbol.for("nodejs.util.inspect.custom"), {
        value: () => ({ ...result, secret: "***" }),
      });
    }
    return Object.defineProperty(result, "$meta", { value: meta, enumerable: false });
  }
  const redirects = !isResult && status < 400; // browsers show a redirect as status 0
  const content = redirects ? (headers.get("location") ?? "") : text;
  // A proxy may print the headers of the request in its page.
  const shown = (key ? content.replaceAll(key, "***") : content).replace(
    /(whsec_|ldl_live_\w{7})[\w+/=]+/g,
    "$1***",
  );
  const error = parse(shown)?.error;
  throw typeof error?.code === "string" && typeof error.message === "string"
    ? failure(meta, error.message, error)
    : failure(
        meta,
        (redirects ? "the server redirects to " : `HTTP ${status} with the body `) +
          (shown.slice(0, 200) || "(empty)"),
      );
}

/** The functions that were called about a deprecation. */
const announced = new WeakSet<object>();

function warn(notice: DeprecationNotice): void {
  console.warn("leadline: the contract is deprecated:", notice);
}

/** Returns a time, or null for what is none. */
function dateOf(seconds: number): Date | null {
  return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1000) : null;
}

/** Calls a function at a time or when a signal aborts. Returns how to prevent that. */
function limit(
  milliseconds: number,
  signal: AbortSignal | undefined,
  call: () => void,
): () => void {
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", run);
  };
  const run = () => {
    end();
    call();
  };
  // setTimeout takes a longer delay for none.
  const timer = setTimeout(run, Math.min(milliseconds, 2 ** 31 - 1));
  signal?.addEventListener("abort", run);
  return end;
}

/** Returns the body of a response, or undefined if it has more than 32 MiB, decompressed. */
async function textOf(response: Response): Promise<string | undefined> {
  const reader = response.body?.getReader();
  if (!reader) return response.text();
  const chunks: BlobPart[] = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks).text();
    chunks.push(value);
    size += value.length;
    if (size > 32 << 20) return undefined;
  }
}

/** Returns a body that is a JSON object. */
function parse(text: string): any {
  try {
    if (/^\s*{/.test(text)) return JSON.parse(text);
  } catch {
    // The caller reports the text.
  }
}

function metaOf({ status, headers }: Response, retries: number): Meta {
  const get = (name: string) => headers.get("x-" + name);
  const limitOf = (prefix: string): Limit | null => {
    const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
      parseInt(get(`${prefix}-${name}`)!),
    ) as [number, number, number];
    const resetsAt = dateOf(reset);
    // A sum with a part that is not a number is not one.
    return resetsAt && limit + remaining >= 0 ? { limit, remaining, resetsAt } : null;
  };
  const month = limitOf("quota-month");
  return {
    status,
    requestId: get("request-id") ?? "",
    retries,
    contract: headers.get("leadline-version"),
    rateLimit: limitOf("ratelimit"),
    quota: month && { ...month, warning: (get("quota-warning") ?? "none") as Quota["warning"] },
    headers,
  };
}

/** Returns settings over others. Those that are undefined change nothing. */
function merge(base: Settings, over: CallOptions, address: string): Settings {
  const settings: Settings = { ...base, ...Object.fromEntries(given(over)) };
  for (const [name, least] of Object.entries({ timeout: 1, maxRetries: 0, maxRetryWait: 0 })) {
    ensure(settings[name as Numbers] >= least, name, `be at least ${least}`);
  }
  const { apiKey } = settings;
  ensure(/^[ -~]*$/.test(settings.appInfo!), "appInfo", "be printable ASCII");
  if (apiKey != null) {
    if (typeof apiKey !== "function") checkKey(apiKey);
    ensure(
      !inPage() || settings.dangerouslyAllowBrowser,
      "apiKey",
      "not be in a page (see dangerouslyAllowBrowser)",
    );
    ensure(
      /^https:|^http:..(([^/]+\.)?localhost|127[\d.]+|\[::1])(:\d+)?(\/|$)/.test(address),
      "baseUrl",
      "be https to send a key",
    );
  }
  return settings;
}

/** Fails with the name of what must be otherwise. Its value is not shown: it may be a secret. */
function ensure(condition: unknown, name: string, rule: string): asserts condition {
  if (!condition) throw new LeadlineError(`invalid ${name}: must ${rule}`);
}

/** Fails unless a key can be the value of a header. */
function checkKey(key: unknown): void {
  ensure(
    typeof key === "string" && /^[!-~]+$/.test(key),
    "apiKey",
    "be printable ASCII without spaces",
  );
}

function headersOf(
  { appInfo }: Settings,
  key: string | undefined,
  body: string | undefined,
): Record<string, string> {
  if (key) checkKey(key);
  return {
    accept: "application/json",
    ...(body && { "content-type": "application/json" }),
    ...(key && { authorization: `Bearer ${key}` }),
    // Pages have a User-Agent of their own. The version would make each of their reads ask for
    // permission first; without it the oldest contract is used, and that is the one of this
    // client.
    ...(!inPage() && {
      "leadline-version": CONTRACT,
      "user-agent": agent() + (appInfo ? ` ${appInfo}` : ""),
    }),
  };
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
    return runtime.process!.env![`LEADLINE_${name}`] || undefined;
  } catch {
    return undefined; // a browser, or Deno without the permission to read it
  }
}

function agent(): string {
  const { versions, platform } = runtime.process ?? {};
  const name = ["deno", "bun", "node"].find((one) => versions?.[one]);
  const version = name && versions![name]!.replace(/\.\d+$/, "");
  return `leadline-typescript/${VERSION}` + (name ? ` (${name}/${version}; ${platform})` : "");
}

/** Returns the address of the server without a slash at its end. */
function baseOf(address: string | undefined): string {
  let href = "";
  try {
    href = new URL(address!).href;
  } catch {
    // The next line reports it. The address is not printed: it may contain a password.
  }
  ensure(
    /^https?:[^@?#]+$/.test(href),
    "baseUrl",
    "be given here or in LEADLINE_BASE_URL, as https://HOST",
  );
  return href.replace(/\/$/, "");
}

/** Returns the properties that have a value. */
function given(properties: object): [string, any][] {
  return Object.entries(properties).filter(([, value]) => value != null);
}
