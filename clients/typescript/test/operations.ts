// The operations of the OpenAPI documents that clients have methods for.
import { readFileSync } from "node:fs";

export interface Document {
  info: { version: string };
  paths: Record<string, Record<string, OpenAPIOperation>>;
  webhooks?: Record<string, { post: OpenAPIOperation }>;
  components: { schemas: Record<string, object>; parameters?: Record<string, Parameter> };
}

interface Parameter {
  in?: string;
  $ref?: string;
}

interface OpenAPIOperation {
  summary: string;
  "x-client"?: string;
  parameters?: Parameter[];
  requestBody?: object;
  responses: Record<string, object>;
}

export interface Operation {
  document: string;
  version: string;
  method: string;
  path: string;
  summary: string;
  /** Whether it has a query or a body. */
  hasInput: boolean;
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

for (const [document, { info, paths, components }] of Object.entries(documents)) {
  const isQuery = ({ in: place, $ref }: Parameter): boolean =>
    $ref ? isQuery(components.parameters![$ref.split("/").pop()!]!) : place === "query";
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { summary, parameters = [], requestBody, "x-client": client } = operation;
      if (!client) continue;
      if (operations.has(client)) throw new Error(`two operations are ${client}`);
      const hasInput = !!requestBody || parameters.some(isQuery);
      const { version } = info;
      operations.set(client, { document, version, method, path, summary, hasInput });
    }
  }
}
