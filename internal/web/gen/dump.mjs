// Writes the rings of land, one per line, as longitude and latitude in units of 1e-5 degrees,
// separated by blanks. The package has them as a TopoJSON topology: arcs of differences on a
// grid, which rings share.
import {readFileSync} from 'node:fs';

const file = 'node_modules/world-atlas/land-10m.json';
const {arcs, objects, transform: {scale, translate}} = JSON.parse(readFileSync(file));
const degrees = (v, axis) => Math.round((v * scale[axis] + translate[axis]) * 1e5);
const decoded = arcs.map(arc => {
	let x = 0, y = 0;
	return arc.map(([dx, dy]) => [x += dx, y += dy]);
});
// A negative index is an arc from its end: ~i.
const along = i => i < 0 ? decoded[~i].toReversed() : decoded[i];

for (const {arcs: polygons} of objects.land.geometries) {
	for (const ring of polygons.flat()) {
		const points = ring.flatMap((i, n) => along(i).slice(n > 0 ? 1 : 0));
		const text = points.map(([x, y]) => degrees(x, 0) + ' ' + degrees(y, 1));
		process.stdout.write(text.join(' ') + '\n');
	}
}
