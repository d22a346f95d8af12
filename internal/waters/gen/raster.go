package main

import (
	"container/heap"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// raster is the map of land and sea that scripts/coast makes: tiles of one degree near stations
// and places with cells of a thousandth, and a coarse map of everything with cells of a fiftieth.
// A cell is 0 for the sea, 1 for land, and more for lakes and what lies in them.
type raster struct {
	folder string
	source string // name and checksum of the map
	tiles  sync.Map
	coarse []byte
	open   []bool // coarse cells of the open sea
}

const (
	tileCells = 1000

	coarseColumns, coarseRows = 18001, 4751
	coarseNorth               = 75
	coarsePerDegree           = 50

	gridHeader = 892 // bytes before the cells of a grid file

	kilometersPerDegree = 111.195
)

// The open sea is at least offshore km from land, in a piece of at least leastCells coarse cells
// (50,000 square kilometers): Long Island Sound, the Chesapeake, Puget Sound and Delaware Bay are
// not. Ours.
const (
	offshore   = 15
	leastCells = 12_000
)

func openRaster(folder string) (*raster, error) {
	grid, err := os.ReadFile(filepath.Join(folder, "coarse.grd"))
	if err != nil {
		return nil, fmt.Errorf("%w; run scripts/coast", err)
	}
	if len(grid) != gridHeader+coarseColumns*coarseRows {
		return nil, fmt.Errorf("%s/coarse.grd has %d bytes", folder, len(grid))
	}
	source, err := os.ReadFile(filepath.Join(folder, "source"))
	if err != nil {
		return nil, err
	}
	c := &raster{folder: folder, source: strings.TrimSpace(string(source)), coarse: grid[gridHeader:]}
	c.findOpenSea()
	return c, nil
}

// at returns the cell of a position.
func (c *raster) at(p point) byte {
	longitude := math.Mod(p.longitude+540, 360) - 180
	south, west := math.Floor(p.latitude), math.Floor(longitude)
	if cells := c.tile(int(south), int(west)); cells != nil {
		row := tileCells - 1 - int((p.latitude-south)*tileCells)
		column := int((longitude - west) * tileCells)
		return cells[max(row, 0)*tileCells+min(column, tileCells-1)]
	}
	if i := coarseIndex(p); i >= 0 {
		return c.coarse[i]
	}
	return 1
}

// tile returns the cells of a degree, the north first, or nil if it has no tile.
func (c *raster) tile(south, west int) []byte {
	key := [2]int{south, west}
	if cells, ok := c.tiles.Load(key); ok {
		return cells.([]byte)
	}
	cells, err := os.ReadFile(filepath.Join(c.folder, fmt.Sprintf("%d_%d.bin", south, west)))
	if err != nil || len(cells) != tileCells*tileCells {
		cells = nil
	}
	c.tiles.Store(key, cells)
	return cells
}

// coarseIndex returns the index of the coarse cell of a position, or -1 outside of the map.
func coarseIndex(p point) int {
	longitude := math.Mod(p.longitude+540, 360) - 180
	row := int(math.Round((coarseNorth - p.latitude) * coarsePerDegree))
	column := int(math.Round((longitude + 180) * coarsePerDegree))
	if row < 0 || row >= coarseRows {
		return -1
	}
	return row*coarseColumns + column
}

// findOpenSea marks the cells of the open sea.
func (c *raster) findOpenSea() {
	far := c.offshore()
	c.open = make([]bool, len(c.coarse))
	seen := make([]bool, len(c.coarse))
	var stack, piece []int
	for i := range far {
		if !far[i] || seen[i] {
			continue
		}
		stack, piece, seen[i] = append(stack[:0], i), piece[:0], true
		for len(stack) > 0 {
			j := stack[len(stack)-1]
			stack, piece = stack[:len(stack)-1], append(piece, j)
			for _, k := range [4]int{j - 1, j + 1, j - coarseColumns, j + coarseColumns} {
				if k >= 0 && k < len(far) && far[k] && !seen[k] {
					seen[k] = true
					stack = append(stack, k)
				}
			}
		}
		for _, j := range piece {
			c.open[j] = len(piece) >= leastCells
		}
	}
}

// offshore returns which coarse cells are far from land, by two passes over the map that add up
// steps to neighbors.
func (c *raster) offshore() []bool {
	distance := make([]float32, len(c.coarse))
	for i, cell := range c.coarse {
		if cell == 0 {
			distance[i] = math.MaxFloat32
		}
	}
	pass := func(rows, columns func(i int) int, step int) {
		for n := range coarseRows {
			row := rows(n)
			latitude := coarseNorth - float64(row)/coarsePerDegree
			const ns = kilometersPerDegree / coarsePerDegree
			ew := ns * math.Cos(latitude*math.Pi/180)
			steps := []struct {
				to   int
				cost float32
			}{
				{step, float32(ew)}, {step * coarseColumns, ns},
				{step * (coarseColumns + 1), float32(math.Hypot(ew, ns))},
				{step * (coarseColumns - 1), float32(math.Hypot(ew, ns))},
			}
			for m := range coarseColumns {
				i := row*coarseColumns + columns(m)
				for _, s := range steps {
					if j := i - s.to; j >= 0 && j < len(distance) && distance[j]+s.cost < distance[i] {
						distance[i] = distance[j] + s.cost
					}
				}
			}
		}
	}
	same := func(i int) int { return i }
	pass(same, same, 1)
	pass(func(i int) int { return coarseRows - 1 - i },
		func(i int) int { return coarseColumns - 1 - i }, -1)
	far := make([]bool, len(distance))
	for i, d := range distance {
		far[i] = d >= offshore
	}
	return far
}

// The view from a cell: rays of the given length that meet no land before the open sea. Ours.
const (
	rays      = 36
	rayLength = 60 // km
)

// view returns how many degrees of the horizon of a cell of the sea see the open sea, and the
// middle of them, degrees true.
func (c *raster) view(from point) (degrees, middle float64) {
	var east, north float64
	n := 0
	for k := range rays {
		bearing := float64(k) * 2 * math.Pi / rays
		if c.seesOpenSea(from, bearing) {
			n++
			north, east = north+math.Cos(bearing), east+math.Sin(bearing)
		}
	}
	middle = math.Mod(math.Atan2(east, north)*180/math.Pi+360, 360)
	return float64(n) * 360 / rays, middle
}

func (c *raster) seesOpenSea(from point, bearing float64) bool {
	for d := 0.15; d <= rayLength; {
		p := from.moved(d, bearing)
		if c.at(p) != 0 {
			return false
		}
		if i := coarseIndex(p); d > 5 && i >= 0 && c.open[i] {
			return true
		}
		switch {
		case d < 5:
			d += 0.1
		case d < 20:
			d += 0.2
		default:
			d += 0.5
		}
	}
	return false
}

// shore is a cell of the sea next to land, which sees the open sea.
type shore struct {
	point
	kilometers float64 // from where it was looked for
	degrees    float64 // of the horizon, that see the open sea
	toward     float64 // the middle of them, degrees true
}

// shoreNear returns the nearest shore within a distance that sees enough of the open sea.
func (c *raster) shoreNear(from point, within, degrees float64) (shore, bool) {
	for _, r := range rings() {
		if r.kilometers > within {
			break
		}
		p := from.plus(r)
		if c.at(p) != 0 || r.kilometers > 0 && !c.nextToLand(p) {
			continue
		}
		if seen, middle := c.view(p); seen >= degrees {
			return shore{p, r.kilometers, seen, middle}, true
		}
	}
	return shore{}, false
}

func (c *raster) nextToLand(p point) bool {
	for k := range 8 {
		if c.at(p.moved(0.3, float64(k)*math.Pi/4)) != 0 {
			return true
		}
	}
	return false
}

// waterNear returns the distance of the nearest cell of sea or lake, at most within.
func (c *raster) waterNear(from point, within float64) float64 {
	for _, r := range rings() {
		if r.kilometers > within {
			break
		}
		if cell := c.at(from.plus(r)); cell == 0 || cell == 2 {
			return r.kilometers
		}
	}
	return within
}

// crosses reports whether the line to a shore goes over other water that is at least 200 m wide.
func (c *raster) crosses(from point, to shore) bool {
	const step = 0.05
	wet, n := 0, int(to.kilometers/step)
	for i := range n {
		t := float64(i) / float64(n)
		p := point{from.latitude + t*(to.latitude-from.latitude),
			from.longitude + t*(to.longitude-from.longitude)}
		if cell := c.at(p); cell == 0 || cell == 2 {
			wet++
			continue
		}
		if wet >= 4 {
			return true
		}
		wet = 0
	}
	return false
}

// grid is a grid of cells over which ways lead.
type grid struct {
	cell float64 // degrees
	land float64 // kilometers that a station may lie from the sea of the grid
}

// Stations of the open coast are measured on the fine grid, 220 m from north to south, for ways
// into inlets; classes on that of the coarse map, where a station may lie up a river.
var (
	fine = grid{0.002, 1.5}
	wide = grid{1.0 / coarsePerDegree, 8}
)

// ways are the lengths of the shortest ways over the sea from a point, in kilometers.
type ways struct {
	grid
	from          point
	radius, side  int // cells to each side of the point, and in a row
	cells         []float32
	north, across float64 // kilometers of a cell
}

// waysFrom returns the ways from a point within a distance. A cell with sea in its middle can be
// passed.
func (c *raster) waysFrom(from point, within float64, g grid) *ways {
	w := &ways{grid: g, from: from, north: g.cell * kilometersPerDegree}
	w.across = w.north * math.Cos(from.latitude*math.Pi/180)
	w.radius = int(within / w.across)
	w.side = 2*w.radius + 1
	w.cells = make([]float32, w.side*w.side)
	sea := make([]int8, len(w.cells)) // 0: not known, 1: sea, -1: land
	for i := range w.cells {
		w.cells[i] = math.MaxFloat32
	}
	passable := func(i int) bool {
		if sea[i] == 0 {
			sea[i] = -1
			if c.isSea(w.position(i), g) {
				sea[i] = 1
			}
		}
		return sea[i] > 0
	}
	queue := &wayQueue{}
	for _, i := range w.around(from) {
		if passable(i) {
			w.cells[i] = float32(from.to(w.position(i)))
			heap.Push(queue, way{w.cells[i], i})
		}
	}
	for queue.Len() > 0 {
		at := heap.Pop(queue).(way)
		if at.kilometers > w.cells[at.cell] || float64(at.kilometers) > within {
			continue
		}
		w.spread(at, queue, passable)
	}
	return w
}

// isSea reports whether a cell of a grid is sea.
func (c *raster) isSea(p point, g grid) bool {
	if g == wide {
		i := coarseIndex(p)
		return i >= 0 && c.coarse[i] == 0
	}
	return c.at(p) == 0
}

// spread goes on from a cell to those next to it.
func (w *ways) spread(at way, queue *wayQueue, passable func(int) bool) {
	row, column := at.cell/w.side, at.cell%w.side
	for dr := -1; dr <= 1; dr++ {
		for dc := -1; dc <= 1; dc++ {
			r, k := row+dr, column+dc
			if r < 0 || k < 0 || r >= w.side || k >= w.side || !passable(r*w.side+k) {
				continue
			}
			step := math.Hypot(float64(dr)*w.north, float64(dc)*w.across)
			if to := at.kilometers + float32(step); to < w.cells[r*w.side+k] {
				w.cells[r*w.side+k] = to
				heap.Push(queue, way{to, r*w.side + k})
			}
		}
	}
}

func (w *ways) position(cell int) point {
	return point{w.from.latitude + float64(cell/w.side-w.radius)*w.cell,
		w.from.longitude + float64(cell%w.side-w.radius)*w.cell}
}

// around returns the cells that are at most as far from a point as a station may lie from the sea.
func (w *ways) around(p point) []int {
	row := w.radius + int(math.Round((p.latitude-w.from.latitude)/w.cell))
	column := w.radius + int(math.Round(math.Remainder(p.longitude-w.from.longitude, 360)/w.cell))
	most := int(w.land / w.across)
	var cells []int
	for dr := -most; dr <= most; dr++ {
		for dc := -most; dc <= most; dc++ {
			r, c := row+dr, column+dc
			if r >= 0 && c >= 0 && r < w.side && c < w.side &&
				math.Hypot(float64(dr)*w.north, float64(dc)*w.across) <= w.land {
				cells = append(cells, r*w.side+c)
			}
		}
	}
	return cells
}

// to returns the length of the way to a position, or infinity.
func (w *ways) to(p point) float64 {
	best := math.Inf(1)
	for _, i := range w.around(p) {
		if w.cells[i] < math.MaxFloat32 {
			best = min(best, float64(w.cells[i])+p.to(w.position(i)))
		}
	}
	return best
}

// way is a cell that a way has reached.
type way struct {
	kilometers float32
	cell       int
}

type wayQueue []way

func (q wayQueue) Len() int           { return len(q) }
func (q wayQueue) Less(i, j int) bool { return q[i].kilometers < q[j].kilometers }
func (q wayQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *wayQueue) Push(x any)        { *q = append(*q, x.(way)) }
func (q *wayQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
