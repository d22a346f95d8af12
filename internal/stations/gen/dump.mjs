// Writes the fields that the embedded directory is made of, one row per line. It leaves
// out all other fields. Of the fields that the package's geocoders add, it writes only
// the zone and the codes of region and country.
import { allStations } from '@neaps/tide-database';

const out = [];
for (const s of allStations) {
	if (!s.id.startsWith('noaa/') || s.license.type !== 'public domain') continue;
	const reference = s.type === 'reference';
	out.push(JSON.stringify({
		id: s.id.slice('noaa/'.length),
		name: s.name,
		context: s.context_derived === false ? s.context : '',
		kind: s.kind,
		type: s.type,
		latitude: s.latitude,
		longitude: s.longitude,
		timezone: s.timezone,
		region: s.region_code,
		country: s.country_code,
		disclaimers: s.disclaimers,
		epoch: s.epoch,
		offsets: s.offsets,
		current: s.current,
		harmonics: reference ? s.harmonic_constituents : [],
		datums: reference ? s.datums : {},
	}));
}
process.stdout.write(out.join('\n') + '\n');
