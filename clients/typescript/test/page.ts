// A page in Chromium that uses the client of a server on another origin.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

// Runs in the page. An error becomes its name and message.
const script = (baseUrl: string) => `
import { Leadline } from "leadline";

const baseUrl = ${JSON.stringify(baseUrl)};
const client = new Leadline({ baseUrl });
const error = async (call) => {
  try {
    return await call();
  } catch ({ name, message }) {
    return { name, message };
  }
};
const plan = {
  stationId: "8443970", activity: "boating", localTime: "09:00",
  localDate: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
};
const seen = {
  tides: await error(async () => {
    const { extremes, $meta } = await client.stations.predictions("8443970", { hours: 24 });
    return { count: extremes.length, requestId: $meta.requestId, limit: $meta.rateLimit.limit };
  }),
  decision: await error(async () => (await client.decisions.tripHealth(plan)).decision.kind),
  missing: await error(() => client.stations.get("0000000")),
  redirect: await error(() => new Leadline({ baseUrl: location.origin + "/to" }).status.get()),
  key: await error(() => new Leadline({ baseUrl, apiKey: "ldl_live_hidden" })),
};
await fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
`;

/** What the page has seen. */
export interface Seen {
  tides: { count: number; requestId: string; limit: number };
  decision: string;
  missing: { name: string };
  redirect: { message: string };
  key: { message: string };
}

/** Opens a page that uses the server and returns what it has seen. */
export async function openPage(baseUrl: string, resolveDir: string): Promise<Seen> {
  const { outputFiles } = await build({
    stdin: { contents: script(baseUrl), resolveDir },
    bundle: true,
    format: "esm",
    write: false,
  });
  const page = `<!doctype html><script type="module">${outputFiles[0]!.text}</script>`;
  const { promise, resolve } = withResolve<Seen>();
  const server = createServer(async (request, response) => {
    if (request.url === "/seen") {
      let body = "";
      for await (const chunk of request) body += chunk;
      response.end();
      resolve(JSON.parse(body));
    } else if (request.url === "/") {
      response.setHeader("content-type", "text/html").end(page);
    } else {
      response.writeHead(302, { location: "/" }).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = mkdtempSync(join(tmpdir(), "leadline-page-"));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${folder}`];
  // Detached, so that its processes can be killed together: they write to the folder.
  const chromium = spawn("/usr/bin/chromium", [...flags, url], {
    stdio: "ignore",
    detached: true,
  });
  const ended = once(chromium, "exit");
  try {
    const early = ended.then(() => {
      throw new Error("chromium has ended before the page was done");
    });
    return await Promise.race([promise, early]);
  } finally {
    try {
      process.kill(-chromium.pid!, "SIGKILL");
    } catch {
      // All have ended, and the error says so.
    }
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function withResolve<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
