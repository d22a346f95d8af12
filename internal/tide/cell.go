package tide

import "math"

// reach is the number of grid samples on either side of a cell that determine its
// polynomial.
const reach = 5

// cell is the polynomial of degree 11 through the twelve samples around one grid cell,
// as coefficients of powers of the position, which is −½ at the sample to its left and
// ½ at the sample to its right.
type cell [2*reach + 2]float64

// fit returns the polynomial through the samples. The sum of a pair that is symmetric
// about the middle gives the even coefficients, the difference the odd ones, by the same
// matrix.
func fit(x *[2*reach + 2]float64) (c cell) {
	var even, odd [reach + 1]float64
	for j := range even {
		left, right := x[reach-j], x[reach+1+j]
		even[j] = (right + left) / 2
		odd[j] = (right - left) / float64(2*j+1)
	}
	for k := range symmetric {
		w := &symmetric[k]
		c[2*k] = (w[0]*even[0] + w[1]*even[1] + w[2]*even[2]) + (w[3]*even[3] + w[4]*even[4] +
			w[5]*even[5])
		c[2*k+1] = (w[0]*odd[0] + w[1]*odd[1] + w[2]*odd[2]) + (w[3]*odd[3] + w[4]*odd[4] + w[5]*odd[5])
	}
	return c
}

// symmetric inverts the matrix of the powers of z = y² at y = ½, 3/2, ..., 11/2.
var symmetric = invertPowers()

// invertPowers holds in column j the coefficients of the polynomial in z that
// is 1 at the jth place and 0 at the others.
func invertPowers() (m [reach + 1][reach + 1]float64) {
	place := func(j int) float64 { return (float64(j) + 0.5) * (float64(j) + 0.5) }
	for j := range m {
		poly := [reach + 2]float64{1}
		for i := range m {
			if i == j {
				continue
			}
			scale := 1 / (place(j) - place(i))
			for k := reach + 1; k >= 0; k-- {
				poly[k] *= -place(i) * scale
				if k > 0 {
					poly[k] += poly[k-1] * scale
				}
			}
		}
		for k := range m {
			m[k][j] = poly[k]
		}
	}
	return m
}

// value returns the height at y.
func (c *cell) value(y float64) float64 {
	return c[0] + y*(c[1]+y*(c[2]+y*(c[3]+y*(c[4]+y*(c[5]+
		y*(c[6]+y*(c[7]+y*(c[8]+y*(c[9]+y*(c[10]+y*(c[11])))))))))))
}

// slope returns the first derivative by y.
func (c *cell) slope(y float64) float64 {
	return c[1] + y*(2*c[2]+y*(3*c[3]+y*(4*c[4]+y*(5*c[5]+y*(6*c[6]+
		y*(7*c[7]+y*(8*c[8]+y*(9*c[9]+y*(10*c[10]+y*(11*c[11]))))))))))
}

// curvature returns the second derivative by y.
func (c *cell) curvature(y float64) float64 {
	return 2*c[2] + y*(6*c[3]+y*(12*c[4]+y*(20*c[5]+y*(30*c[6]+y*(42*c[7]+
		y*(56*c[8]+y*(72*c[9]+y*(90*c[10]+y*(110*c[11])))))))))
}

// peak returns the position between a and b where the slope vanishes, by Newton's
// method limited to the bounds. high means that the curve rises at a.
func (c *cell) peak(a, b float64, high bool) float64 {
	y := clamp(-c[1]/(2*c[2]), a, b) // of the parabola
	if math.IsNaN(y) {
		y = (a + b) / 2
	}
	for range 60 {
		s := c.slope(y)
		if (s > 0) == high {
			a = y
		} else {
			b = y
		}
		step := s / c.curvature(y)
		switch to := y - step; {
		case math.Abs(step) < 1e-5: // 18 ms in 30 minutes; the remaining error is about its square
			return clamp(to, a, b)
		case to > a && to < b:
			y = to
		default:
			y = (a + b) / 2
		}
		if b-a < 1e-9 {
			break
		}
	}
	return y
}

// turns returns the positions inside the cell where the curve turns. change bounds the
// second derivative: if the slopes at the ends exceed it, the cell has no turns.
func (c *cell) turns(change float64) (places []float64) {
	from, rising, rises := -0.5, c.slope(-0.5), c.slope(0.5)
	if min(rising, rises) > change || max(rising, rises) < -change {
		return nil
	}
	for _, to := range c.bends() {
		slope := c.slope(to)
		if (slope > 0) != (rising > 0) {
			places = append(places, c.peak(from, to, rising > 0))
		}
		from, rising = to, slope
	}
	return places
}

// crossing returns the position between a and b where the curve passes a level, to a
// few milliseconds, by Newton's method limited to the bounds. It must be monotonic
// there; rises reports the direction.
func (c *cell) crossing(a, b, level float64, rises bool) float64 {
	v, w := c.value(a), c.value(b)
	y := clamp(a+(b-a)*(level-v)/(w-v), a, b)
	if math.IsNaN(y) {
		y = (a + b) / 2
	}
	for range 60 {
		off := c.value(y) - level
		if (off > 0) == rises {
			b = y
		} else {
			a = y
		}
		step := off / c.slope(y)
		switch to := y - step; {
		case math.Abs(step) < 1e-6: // 2 ms in 30 minutes
			return clamp(to, a, b)
		case to > a && to < b:
			y = to
		default:
			y = (a + b) / 2
		}
		if b-a < 1e-9 {
			break
		}
	}
	return y
}

// bends returns the positions where the slope has an extremum, followed by the end of
// the cell.
func (c *cell) bends() []float64 {
	var list []float64
	const parts = 8
	before := c.curvature(-0.5)
	for i := 1; i <= parts; i++ {
		end := float64(i)/parts - 0.5
		after := c.curvature(end)
		if (before > 0) != (after > 0) {
			list = append(list, c.bend(end-1.0/parts, end))
		}
		before = after
	}
	return append(list, 0.5)
}

// bend returns the position between a and b where the curvature changes its sign, by
// bisection.
func (c *cell) bend(a, b float64) float64 {
	convex := c.curvature(a) > 0
	for range 40 {
		middle := (a + b) / 2
		if (c.curvature(middle) > 0) == convex {
			a = middle
		} else {
			b = middle
		}
	}
	return b
}

// slope returns the derivative, times the step and 1260, at the sample x[reach]: the
// central difference of tenth order.
func slope(x []float64) float64 {
	_ = x[2*reach]
	return 1050*(x[6]-x[4]) - 300*(x[7]-x[3]) + 75*(x[8]-x[2]) - 12.5*(x[9]-x[1]) + (x[10] - x[0])
}

// bent reports whether the slope may turn between the middle two samples:
// whether the second differences about them differ in sign.
func bent(x *[2*reach + 2]float64) bool {
	up, down := 0, 0
	for i := reach - 2; i <= reach+1; i++ {
		if d := x[i] - 2*x[i+1] + x[i+2]; d > 0 {
			up++
		} else {
			down++
		}
	}
	return up > 0 && down > 0
}

func clamp(x, low, high float64) float64 { return max(low, min(x, high)) }
