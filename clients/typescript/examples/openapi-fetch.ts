// Uses openapi-fetch with the types of this package: node openapi-fetch.js
import createClient from "openapi-fetch";
import { CONTRACT } from "leadline";
import type { PlanningPaths, paths } from "leadline";

const client = createClient<paths & PlanningPaths>({
  baseUrl: process.env.LEADLINE_BASE_URL ?? "http://127.0.0.1:8080",
  headers: { "Leadline-Version": CONTRACT },
});

const tides = await client.GET("/api/v1/stations/{id}/predictions", {
  params: { path: { id: "8443970" }, query: { hours: 24 } },
});
console.log(tides.data?.extremes ?? tides.error);

const windows = await client.GET("/api/planning/tide-windows", {
  params: { query: { station: "8443970", below: 0 } },
});
console.log(windows.data?.summary ?? windows.error);
