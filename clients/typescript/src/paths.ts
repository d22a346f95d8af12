import type { paths as All } from "./openapi.js";

type Status = "/api/developer/status";
type Under<Prefix extends string> = Extract<keyof All, `${Prefix}${string}`>;

/** The routes of the contract, for openapi-fetch. */
export interface paths extends Omit<All, keyof DeveloperPaths | keyof PlanningPaths> {}

/** The routes of an account's keys, usage, webhooks and watches, which are outside the contract. */
export interface DeveloperPaths extends Pick<All, Exclude<Under<"/api/developer/">, Status>> {}

/** The routes for planning, a preview outside the contract. */
export interface PlanningPaths extends Pick<All, Under<"/api/planning/">> {}
