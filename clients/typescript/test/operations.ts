// The operations of the OpenAPI documents that clients have methods for.
import { readFileSync } from "node:fs";

export interface Document {
  info: { version: string };
  paths: Record<string, Record<string, OpenAPIOperation>>;
  webhooks?: Record<string, { post: OpenAPIOperation }>;
  components: { schemas: Record<string, object> };
}

interface OpenAPIOperation {
  summary: string;
  "x-client"?: string;
  responses: Record<string, object>;
}

export interface Operation {
  document: string;
  version: string;
  method: string;
  path: string;
  summary: string;
}

/** The documents by name. */
export const documents = Object.fromEntries(
  ["contract", "developer", "planning"].map((name) => {
    const file = new URL(`../../../openapi/${name}.json`, import.meta.url);
    return [name, JSON.parse(readFileSync(file, "utf8")) as Document];
  }),
);

/** The operations by the names of their methods, such as `stations.search`. */
export const operations = new Map<string, Operation>();

for (const [document, { info, paths }] of Object.entries(documents)) {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { summary, "x-client": client }] of Object.entries(methods)) {
      if (!client) continue;
      if (operations.has(client)) throw new Error(`two operations are ${client}`);
      operations.set(client, { document, version: info.version, method, path, summary });
    }
  }
}
