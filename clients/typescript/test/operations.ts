// The operations of the OpenAPI document that clients have methods for.
import { readFileSync } from "node:fs";

interface OpenAPIDocument {
  info: { version: string };
  paths: Record<string, Record<string, OpenAPIOperation>>;
  webhooks?: Record<string, { post: OpenAPIOperation }>;
  components: { schemas: Record<string, object>; parameters: Record<string, Parameter> };
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
  method: string;
  path: string;
  summary: string;
  /** Whether it has a query or a body. */
  hasInput: boolean;
}

const file = new URL("../../../openapi.json", import.meta.url);

/** The merged OpenAPI document. */
export const document = JSON.parse(readFileSync(file, "utf8")) as OpenAPIDocument;

/** The operations by the names of their methods, such as `stations.search`. */
export const operations = new Map<string, Operation>();

const isQuery = ({ in: place, $ref }: Parameter): boolean =>
  $ref ? isQuery(document.components.parameters[$ref.split("/").pop()!]!) : place === "query";
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const { summary, parameters = [], requestBody, "x-client": client } = operation;
    if (!client) continue;
    if (operations.has(client)) throw new Error(`two operations are ${client}`);
    const hasInput = !!requestBody || parameters.some(isQuery);
    operations.set(client, { method, path, summary, hasInput });
  }
}
