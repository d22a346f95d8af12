// The package as users install it: its size, its entries, its files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import * as esm from "leadline";
import * as webhooks from "leadline/webhooks";
import { publint } from "publint";

const root = new URL("../../", import.meta.url).pathname;
const require = createRequire(import.meta.url);
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));

// Bytes after minification and gzip. Of the client's, names and routes of the methods are 540,
// classes of errors 330, the announcement of a deprecation 110, the largest body 90, hidden secrets
// 100, rules about keys and addresses 300, the queue of calls 120.
const bars = [
  ["everything of leadline", 'export * from "leadline"', 4_380],
  ["the client alone", 'export { Leadline } from "leadline"', 3_930],
  ["leadline/webhooks", 'export * from "leadline/webhooks"', 1_000],
] as const;
for (const [name, contents, bar] of bars) {
  test(`${name} is at most ${bar} bytes`, async (t) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      format: "esm",
      target: "es2022",
      write: false,
    });
    const size = gzipSync(outputFiles[0]!.contents).length;
    t.diagnostic(`${size} bytes`);
    assert.ok(size <= bar, `${size} bytes`);
  });
}

test("both forms export the same", () => {
  assert.deepEqual(Object.keys(require("leadline")).sort(), Object.keys(esm).sort());
  assert.deepEqual(Object.keys(require("leadline/webhooks")).sort(), Object.keys(webhooks).sort());
});

test("the CommonJS form works", async () => {
  const { Leadline, LeadlineError } = require("leadline") as typeof esm;
  assert.throws(() => new Leadline({ baseUrl: "ftp://a" }), LeadlineError);
});

test("the version is that of both clients, and its major number the contract's date", () => {
  assert.equal(manifest.version, read("../VERSION").trim());
  assert.equal(esm.VERSION, manifest.version);
  assert.equal(esm.VERSION.split(".")[0], esm.CONTRACT.replaceAll("-", ""));
});

test("nothing is needed at run time, and nothing names a package registry", () => {
  assert.deepEqual([manifest.dependencies, manifest.peerDependencies], [undefined, undefined]);
  assert.doesNotMatch(read("package-lock.json"), /"resolved"/);
});

test("the changelog describes the version", () => {
  assert.match(
    read("CHANGELOG.md"),
    new RegExp(`^## ${manifest.version.replaceAll(".", "\\.")}$`, "m"),
  );
});

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: root, strict: true });
  assert.deepEqual(messages, []);
});

test("the packed package can be installed and needs nothing else", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadline-install-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync("npm", [...args, "--loglevel=error"], { cwd, encoding: "utf8" });
  const options = ["--ignore-scripts", "--json", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(npm(root, "pack", ...options));
  assert.ok(read("README.md").includes(`/${filename}\n`), `the README names ${filename}`);
  writeFileSync(join(folder, "package.json"), "{}");
  npm(folder, "install", "--offline", "--no-audit", "--no-fund", filename);
  const want = "Leadline WebhookVerificationError";
  for (const script of [
    'import("leadline").then((a) => import("leadline/webhooks").then((b) => print(a, b)))',
    'print(require("leadline"), require("leadline/webhooks"))',
  ]) {
    const print = "const print = (a, b) => console.log(a.Leadline.name, new b." +
      'WebhookVerificationError("").name);';
    const got = execFileSync(process.execPath, ["-e", print + script], { cwd: folder });
    assert.equal(String(got).trim(), want);
  }
});

test("the packed package resolves with the right types in node and bundlers", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadline-pack-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const run = (file: string, ...args: string[]) =>
    execFileSync(process.execPath, [file, ...args], { cwd: root, encoding: "utf8" });
  const npm = (...args: string[]) => execFileSync("npm", args, { cwd: root, encoding: "utf8" });
  const [packed] = JSON.parse(
    npm("pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", folder),
  );
  t.diagnostic(`${packed.size} bytes packed, ${packed.unpackedSize} unpacked`);
  const files: string[] = packed.files.map((one: { path: string }) => one.path);
  const foreign = files.filter(
    (path) => !/^dist\/(esm|cjs)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path),
  );
  assert.deepEqual(foreign, []);
  // Resolution of node 10 knows no "exports" and cannot find leadline/webhooks.
  const attw = require
    .resolve("@arethetypeswrong/cli/package.json")
    .replace("package.json", "dist/index.js");
  const tarball = join(folder, packed.filename);
  assert.match(
    run(attw, tarball, "--ignore-rules", "no-resolution", "--no-emoji"),
    /No problems found/,
  );
});
