// Reports what has changed about a plan since the last run: node watch-change.js FILE
// FILE keeps the baseline. It needs a key: set LEADLINE_API_KEY.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Leadline } from "leadline";

const file = process.argv[2] ?? "baseline.json";
const client = new Leadline();
const plan = {
  stationId: "8443970",
  activity: "boating",
  localDate: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  localTime: "09:00",
} as const;

if (existsSync(file)) {
  const baseline = JSON.parse(readFileSync(file, "utf8"));
  const { change, summary } = await client.decisions.materialChange({ ...plan, baseline });
  console.log(change.material ? "The plan has changed:" : "Nothing that matters has changed.");
  for (const { message } of change.changes) console.log(message);
  writeFileSync(file, JSON.stringify(summary));
} else {
  const { decision } = await client.decisions.tripHealth(plan);
  console.log(decision.headline);
  writeFileSync(file, JSON.stringify(decision));
}
