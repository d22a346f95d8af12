import assert from "node:assert/strict";
import { test } from "node:test";
import { format } from "node:util";
import {
  APIError,
  AuthenticationError,
  InvalidRequestError,
  Leadline,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnavailableError,
} from "leadline";
import { fail, headers, json, rejection, serve, stationList } from "./server.js";
import type { Script } from "./server.js";

const page = stationList(["8443970"]);
const once = { maxRetries: 0 };

test("a result has the fields of the response, and $meta is not enumerable", async (t) => {
  const { baseUrl } = await serve(t, (r) => json(r, 200, { ...page, later: 1, $meta: "theirs" }));
  const result = await new Leadline({ baseUrl }).stations.search();
  assert.equal((result as { later?: number }).later, 1, "unknown fields are kept");
  assert.deepEqual(Object.keys(result).sort(), [...Object.keys(page), "later"].sort());
  assert.equal(JSON.stringify(result).includes("$meta"), false);
  assert.equal("$meta" in { ...result }, false);
});

test("$meta has the limits of the response", async (t) => {
  const { baseUrl } = await serve(t, (r) =>
    json(r, 200, page, { "leadline-version": "2026-07-09" }),
  );
  const { headers, ...meta } = (await new Leadline({ baseUrl }).stations.search()).$meta;
  assert.deepEqual(meta, {
    status: 200,
    requestId: "req-1",
    retries: 0,
    contract: "2026-07-09",
    rateLimit: { limit: 30, remaining: 29, resetsAt: new Date("2026-11-22T22:37:31Z") },
    quota: {
      limit: 10000,
      remaining: 400,
      resetsAt: new Date("2026-12-01T00:00:00Z"),
      warning: "critical",
    },
  });
  assert.equal(headers.get("content-type"), "application/json");
});

test("limits that a response does not have are null", async (t) => {
  const { baseUrl } = await serve(t, (r) => {
    r.writeHead(200, { "x-ratelimit-limit": "30", "x-ratelimit-remaining": "29" }).end("{}");
  });
  const { headers: _, ...meta } = (await new Leadline({ baseUrl }).stations.search()).$meta;
  assert.deepEqual(meta, {
    status: 200,
    requestId: "",
    retries: 0,
    contract: null,
    rateLimit: null,
    quota: null,
  });
});

test("times that no calendar has are null", async (t) => {
  const far = { "x-ratelimit-reset": "9".repeat(20), "x-quota-month-reset": "-1" };
  const { baseUrl } = await serve(t, (r) => json(r, 200, page, far));
  const { rateLimit, quota } = (await new Leadline({ baseUrl }).stations.search()).$meta;
  assert.deepEqual([rateLimit, quota], [null, null]);
});

const statuses: [number, string, unknown][] = [
  [400, "invalid_request", InvalidRequestError],
  [401, "invalid_credential", AuthenticationError],
  [403, "insufficient_scope", PermissionDeniedError],
  [404, "station_not_found", NotFoundError],
  [405, "method_not_allowed", APIError],
  [413, "payload_too_large", APIError],
  [415, "unsupported_media_type", APIError],
  [429, "rate_limited", RateLimitError],
  [500, "internal", APIError],
  [503, "provider_unavailable", UnavailableError],
];
for (const [status, code, want] of statuses) {
  test(`status ${status} is a typed error`, async (t) => {
    const { baseUrl } = await serve(t, (r) => fail(r, status, code));
    const error = await rejection(new Leadline({ baseUrl, ...once }).stations.get("8443970"));
    assert.ok(error instanceof APIError);
    assert.equal(error.constructor, want);
    assert.equal(error.name, (want as { name: string }).name);
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    assert.equal(error.message, `It is ${code}. (request req-1)`);
    assert.equal(error.meta.quota!.remaining, 400);
    assert.match(error.stack!, new RegExp(`^${error.name}: It is`));
  });
}

test("an error has the issues of the request", async (t) => {
  const issues = [{ path: "hours", code: "maximum", message: "hours must be at most 168." }];
  const body = { error: { code: "invalid_request", message: "No.", issues } };
  const { baseUrl } = await serve(t, (r) => json(r, 400, body));
  const error = await rejection(new Leadline({ baseUrl }).stations.predictions("8443970"));
  assert.ok(error instanceof InvalidRequestError);
  assert.deepEqual(error.issues, issues);
});

test("issues of another shape are left out", async (t) => {
  const body = { error: { code: "invalid_request", message: "No.", issues: "hours" } };
  const { baseUrl } = await serve(t, (r) => json(r, 400, body));
  const error = await rejection(new Leadline({ baseUrl }).stations.search());
  assert.deepEqual((error as APIError).issues, []);
});

// Bodies that are not those of Leadline, each with the status and what the message contains.
const strange: [string, number, string, string][] = [
  ["a page", 200, "<html>\n\u001b[31mWelcome</html>", "<html> [31mWelcome</html>"],
  ["nothing", 200, "", "(empty)"],
  ["half of an object", 200, '{"stations": [', '{"stations": ['],
  ["a list", 200, "[1]", "[1]"],
  ["null", 200, "null", "null"],
  ["a page of a proxy", 503, "<h1>Sorry</h1>", "<h1>Sorry</h1>"],
  ["another error", 404, '{"message": "no"}', '{"message": "no"}'],
  ["a string as error", 400, '{"error": "no"}', '{"error": "no"}'],
  ["an error without a message", 400, '{"error": {"code": 1}}', '{"error": {"code": 1}}'],
  ["an error of a gateway", 500, '{"error": {"code": 7, "message": "no"}}', '"message": "no"'],
  ["an error without a text", 500, '{"error": {"code": "a", "message": {}}}', '"message": {}'],
  ["a long page", 500, "x".repeat(300), `${"x".repeat(200)} (request req-1)`],
];
for (const [name, status, body, want] of strange) {
  test(`${name} with status ${status} is an unexpected answer`, async (t) => {
    const { baseUrl, requests } = await serve(t, (r) => r.writeHead(status, headers).end(body));
    const error = await rejection(new Leadline({ baseUrl, ...once }).stations.search());
    assert.ok(error instanceof APIError);
    assert.equal(error.code, "unexpected_answer");
    assert.equal(error.status, status);
    assert.ok(error.message.includes(want), error.message);
    assert.equal(requests.length, 1);
  });
}

test("a page of HTML with status 200 is an unexpected answer", async (t) => {
  const { baseUrl, requests } = await serve(t, (r) => {
    r.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Sign in</p>");
  });
  const error = await rejection(new Leadline({ baseUrl }).stations.search());
  assert.ok(error instanceof APIError);
  assert.equal(error.code, "unexpected_answer");
  assert.equal(error.message, "HTTP 200 with the body <!doctype html><p>Sign in</p>");
  assert.equal(requests.length, 1);
});

test("the body counts, not the type that it claims", async (t) => {
  const text: Script = (r) => {
    r.writeHead(200, { "content-type": "text/html" }).end(JSON.stringify(page));
  };
  const { baseUrl } = await serve(t, text);
  assert.equal((await new Leadline({ baseUrl }).stations.search()).stations.length, 1);
});

test("redirects of all kinds are not followed", async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const other = await serve(t, (r) => json(r, 200, page));
    const { baseUrl, requests } = await serve(t, (r) =>
      json(r, status, page, { location: other.baseUrl }),
    );
    const client = new Leadline({ baseUrl, apiKey: "ldl_live_secret" });
    const error = await rejection(client.stations.search());
    assert.ok(error instanceof APIError);
    assert.equal(error.status, status);
    assert.equal(error.message, `the server redirects to ${other.baseUrl} (request req-1)`);
    assert.deepEqual([requests.length, other.requests.length], [1, 0]);
  }
});

test("a body of more than 32 MiB is refused, compressed or not", async (t) => {
  const chunk = Buffer.alloc(1 << 20, " ");
  let sent = 0;
  const endless: Script = (r) => {
    r.writeHead(200, headers);
    const more = () => {
      while (!r.destroyed && r.write(chunk)) sent++;
      if (!r.destroyed) r.once("drain", more);
    };
    more();
  };
  const { baseUrl, requests } = await serve(t, endless);
  const error = await rejection(new Leadline({ baseUrl }).stations.search());
  assert.ok(error instanceof APIError);
  assert.equal(error.code, "unexpected_answer");
  assert.match(error.message, /larger than 32 MiB \(request req-1\)$/);
  assert.equal(requests.length, 1);

  const { gzipSync } = await import("node:zlib");
  const bomb = gzipSync(Buffer.alloc(33 << 20, " "));
  const packed = await serve(t, (r) => {
    r.writeHead(200, { ...headers, "content-encoding": "gzip" }).end(bomb);
  });
  const unpacked = await rejection(new Leadline(packed).stations.search());
  assert.match((unpacked as Error).message, /larger than 32 MiB/);
});

test("a body just below the limit is read", async (t) => {
  const body = JSON.stringify(page) + " ".repeat((32 << 20) - JSON.stringify(page).length);
  const { baseUrl } = await serve(t, (r) => r.writeHead(200, headers).end(body));
  assert.equal((await new Leadline({ baseUrl }).stations.search()).total, 3);
});

test("a response of another contract is refused", async (t) => {
  const { baseUrl } = await serve(t, (r) =>
    json(r, 200, page, { "leadline-version": "2025-01-01" }),
  );
  const error = await rejection(new Leadline({ baseUrl }).stations.search());
  assert.ok(error instanceof APIError);
  assert.match(error.message, /is of contract 2025-01-01, not of 2026-07-09/);
});

test("a contract that the server does not know is an invalid request", async (t) => {
  const path = "Leadline-Version";
  const message = 'Leadline-Version must be one of 2027-01-01, not "2026-07-09".';
  const issues = [{ path, code: "enum", message }];
  const body = { error: { code: "invalid_request", message, issues } };
  const { baseUrl, requests } = await serve(t, (r) =>
    json(r, 400, body, { "leadline-version": "2027-01-01" }),
  );
  const error = await rejection(new Leadline({ baseUrl }).stations.search());
  assert.ok(error instanceof InvalidRequestError);
  assert.equal(error.issues[0]!.path, path);
  assert.equal(error.message, `${message} (request req-1)`);
  assert.equal(requests.length, 1);
});

test("control characters of a message are not printed", async (t) => {
  const body = { error: { code: "invalid_request", message: "one\ntwo\u001b[2J" } };
  const { baseUrl } = await serve(t, (r) => json(r, 400, body));
  const error = await rejection(new Leadline({ baseUrl }).stations.search());
  assert.equal((error as APIError).message, "one two [2J (request req-1)");
});

test("a service that says it is down is a status, a proxy that says so is an error", async (t) => {
  const down = { status: "down", components: [], incidents: [], maintenance: [] };
  const { baseUrl, requests } = await serve(t, (r, n) =>
    n ? fail(r, 503, "overloaded") : json(r, 503, down),
  );
  const client = new Leadline({ baseUrl, ...once });
  const status = await client.status.get();
  assert.equal(status.status, "down");
  assert.equal(status.$meta.status, 503);
  assert.equal(requests.length, 1);
  assert.ok((await rejection(client.status.get())) instanceof UnavailableError);
});

const ending = {
  deprecation: "@1798761600",
  sunset: "Sat, 01 Jan 2028 00:00:00 GMT",
  link: '<https://leadline.example.org/next>; rel="successor-version"',
};

test("a deprecation is announced once to a listener", async (t) => {
  const { baseUrl } = await serve(t, (r) => json(r, 200, page, ending));
  const warn = t.mock.method(console, "warn", () => {});
  const listener = t.mock.fn();
  const client = new Leadline({ baseUrl, onDeprecation: listener });
  await client.stations.search();
  await client.stations.search();
  assert.deepEqual(
    listener.mock.calls.map((one) => one.arguments),
    [
      [
        {
          contract: "2026-07-09",
          deprecatedAt: new Date("2027-01-01T00:00:00Z"),
          sunsetAt: new Date("2028-01-01T00:00:00Z"),
          link: ending.link,
        },
      ],
    ],
  );
  assert.equal(warn.mock.callCount(), 0);
});

test("a deprecation is printed once a process", async (t) => {
  const { baseUrl } = await serve(t, (r) => json(r, 200, page, ending));
  const warn = t.mock.method(console, "warn", () => {});
  await new Leadline({ baseUrl }).stations.search();
  await new Leadline({ baseUrl }).stations.search();
  assert.equal(warn.mock.callCount(), 1);
  const printed = format(...(warn.mock.calls[0]!.arguments as [string]));
  assert.match(printed, /^leadline: the contract is deprecated/);
  for (const fact of ["2026-07-09", "2027-01-01", "2028-01-01"]) assert.ok(printed.includes(fact));
});

test("a deprecation without readable dates is announced all the same", async (t) => {
  const { baseUrl } = await serve(t, (r) => json(r, 200, page, { deprecation: "true" }));
  const listener = t.mock.fn();
  await new Leadline({ baseUrl, onDeprecation: listener }).stations.search();
  const [notice] = listener.mock.calls[0]!.arguments;
  assert.deepEqual(notice, {
    contract: "2026-07-09",
    deprecatedAt: null,
    sunsetAt: null,
    link: null,
  });
});
