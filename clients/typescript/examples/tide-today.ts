// Prints the high and low waters of the next 24 hours: node tide-today.js [STATION]
import { Leadline } from "leadline";

const client = new Leadline();
const station = process.argv[2] ?? "8443970";
const tides = await client.stations.predictions(station, { hours: 24 });
console.log(`${tides.station?.name ?? station}, heights above ${tides.datum}`);
for (const { time, type, height } of tides.extremes ?? []) {
  console.log(
    `${time.slice(0, 16).replace("T", " ")}  ${type.padEnd(4)}  ${height} ${tides.heightUnit}`,
  );
}
for (const note of tides.notes) console.log(note);
