// A server on loopback that responds as a test says.
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Headers that every response of Leadline has. */
export const headers = {
  "content-type": "application/json",
  "x-request-id": "req-1",
  "x-ratelimit-limit": "30",
  "x-ratelimit-remaining": "29",
  "x-ratelimit-reset": "1795387051",
  "x-quota-month-limit": "10000",
  "x-quota-month-remaining": "400",
  "x-quota-month-reset": "1796083200",
  "x-quota-warning": "critical",
};

export interface Request {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Responds to the nth request, from 0. */
export type Script = (response: ServerResponse, n: number, request: Request) => void;

/** Returns the address of a new server and the requests that it receives. */
export async function serve(t: TestContext, script: Script) {
  const requests: Request[] = [];
  const server = createServer(async (incoming, response) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const { method = "", url = "", headers } = incoming;
    const request = { method, url, headers, body };
    script(response, requests.push(request) - 1, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, requests };
}

/** Responds with JSON. */
export function json(response: ServerResponse, status: number, body: unknown, more = {}): void {
  response.writeHead(status, { ...headers, ...more });
  response.end(JSON.stringify(body));
}

/** Responds with an error of Leadline's. */
export function fail(response: ServerResponse, status: number, code: string, more = {}): void {
  json(response, status, { error: { code, message: `It is ${code}.` } }, more);
}

/** A page of stations. */
export function stationList(ids: string[], nextOffset: number | null = null) {
  const stations = ids.map((id) => ({ id }));
  return { sources: [], missing: [], notes: [], total: 3, offset: 0, nextOffset, stations };
}

/** Returns what a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("was not rejected");
}
