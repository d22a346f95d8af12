// Builds the package and its tests: node build.mjs [--package]
//
//   dist/esm, dist/cjs   the package, as ES modules and as CommonJS
//   blocks               the code blocks of README.md and of docs/clients.md
//   build                tests, examples and blocks, compiled against the package as users see it
//
// With --package it builds dist alone.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
for (const folder of ["dist", "blocks", "build"]) rmSync(folder, { recursive: true, force: true });
compile("tsconfig.json");
compile("tsconfig.cjs.json");
writeFileSync("dist/cjs/package.json", '{"type": "commonjs"}\n');
if (process.argv[2] !== "--package") {
  mkdirSync("blocks");
  const text = ["README.md", "../../docs/clients.md"].map((file) => readFileSync(file, "utf8"));
  const blocks = [...text.join("\n").matchAll(/^```ts\n(.*?)^```$/gms)];
  blocks.forEach(([, code], i) => writeFileSync(`blocks/${i + 1}.ts`, code));
  compile("tsconfig.test.json");
}

function compile(project) {
  const tsc = "node_modules/typescript/lib/tsc.js";
  try {
    execFileSync(process.execPath, [tsc, "-p", project], { stdio: "inherit" });
  } catch {
    process.exit(1); // the compiler has printed why
  }
}
