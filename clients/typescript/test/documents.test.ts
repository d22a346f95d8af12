// The methods of the client against the OpenAPI document.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CONTRACT, Leadline } from "leadline";
import { document, operations } from "./operations.js";

const client = new Leadline({ baseUrl: "https://leadline.example.org" });

// Methods that make use of others.
const helpers = ["stations.each", "events.each"];

test("the client has the methods that the document names, and no others", () => {
  const got = Object.entries(client).flatMap(([group, methods]) =>
    Object.keys(methods as object).map((name) => `${group}.${name}`),
  );
  const want = [...operations.keys(), ...helpers];
  assert.deepEqual(got.sort(), want.sort());
});

test("each method is described by the summary of its operation and by an example", () => {
  const source = readFileSync(new URL("../../src/client.ts", import.meta.url), "utf8");
  for (const group of source.split(/^  declare readonly (?=\w+: \{)/m).slice(1)) {
    const name = /^\w+/.exec(group)![0];
    const methods = [...group.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s+(\w+): \(/g)];
    assert.ok(methods.length > 0, name);
    for (const [, comment, method] of methods) {
      assert.match(comment!, /@example/, `${name}.${method}`);
      const text = comment!.replace(/\s*\n\s*\* ?/g, " ").trim();
      const summary = operations.get(`${name}.${method}`)?.summary;
      if (!summary) assert.ok(helpers.includes(`${name}.${method}`), method);
      else assert.ok(text.startsWith(summary), `${name}.${method}: "${text}", not "${summary}"`);
    }
  }
});

test("each method sends what its operation describes", async () => {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname, search } = new URL(String(url));
    assert.match(new Headers(init!.headers).get("user-agent")!, / a\/1$/);
    sent.push([init!.method, pathname + search, init!.body].join(" "));
    return new Response("{}");
  };
  const other = new Leadline({ baseUrl: "https://leadline.example.org", fetch });
  for (const [name, { method, path, hasInput }] of operations) {
    const [group, call] = name.split(".") as [keyof Leadline, string];
    const ids = [...path.matchAll(/\{\w+\}/g)].map((_, i) => `id${i}`);
    const run = (other[group] as unknown as Record<string, (...args: unknown[]) => unknown>)[call]!;
    const input = name === "keys.revoke" ? "id" : { a: "b" };
    await run(...ids, ...(hasInput ? [input] : []), { appInfo: "a/1" });
    let i = 0;
    const route = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, () => `id${i++}`)}`;
    const query = hasInput && method === "get" ? "?a=b" : "";
    const body = name === "keys.revoke" ? '{"id":"id"}' : '{"a":"b"}';
    const want = `${route}${query} ${hasInput && !query ? body : ""}`;
    assert.equal(sent.pop(), want, name);
  }
});

test("the contract of the client is that of the document", () => {
  assert.equal(document.info.version, CONTRACT);
});
