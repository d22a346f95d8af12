// Ranks times of tomorrow for boating, with reasons: node best-window.js [STATION]
// It needs a key: set LEADLINE_API_KEY.
import { Leadline, missingInputs } from "leadline";

const client = new Leadline();
const localDate = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const result = await client.decisions.bestWindow({
  stationId: process.argv[2] ?? "8443970",
  activity: "boating",
  candidates: ["07:00", "10:00", "13:00", "16:00"].map((localTime) => ({ localDate, localTime })),
});
for (const { rank, localTime, decision } of result.candidates) {
  const best = rank === result.recommended ? " (recommended)" : "";
  console.log(`${rank}. ${localDate} ${localTime}: ${decision.headline}${best}`);
  for (const { severity, message } of decision.reasons) console.log(`   ${severity}: ${message}`);
}
const missing = missingInputs(result);
if (missing.length) console.log(`Not included: ${missing.join(", ")}`);
console.log(result.disclaimer);
