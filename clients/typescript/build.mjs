// Builds the package and its tests: node build.mjs
//
//   dist/esm, dist/cjs   the package, as ES modules and as CommonJS
//   build                tests and examples, compiled against the package as its users see it
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
rmSync("dist", { recursive: true, force: true });
rmSync("build", { recursive: true, force: true });
const tsc = (project) =>
  execFileSync(process.execPath, ["node_modules/typescript/lib/tsc.js", "-p", project], {
    stdio: "inherit",
  });
tsc("tsconfig.json");
tsc("tsconfig.cjs.json");
writeFileSync("dist/cjs/package.json", '{"type": "commonjs"}\n');
if (process.argv[2] !== "--package") tsc("tsconfig.test.json");
