package sky

import "math"

// The degrees of the fits. Over one day they differ from the series by at most 0.0003",
// and with the nutation interpolated between the ends of the day by 0.01" (TestTrack).
const (
	sunDegree  = 3
	moonDegree = 5
)

// track is the path of a body over 24 hours, fitted by Chebyshev polynomials. Root
// finding for one night evaluates it a hundred times, and the series are long.
type track struct {
	start  instant
	degree int
	terms  [moonDegree + 1]vector
}

// end is the position of a body at the end of a track, where the next one begins.
type end struct {
	at       instant
	frame    frame
	position vector
}

func endAt(b body, i instant) end {
	f := frameAt(i)
	return end{i, f, b(i, f)}
}

// follow fits b between two ends that are a day apart. The nodes are the extrema of the
// polynomial (Gauss-Lobatto), which include both ends: neighboring tracks meet, so that
// no crossing is lost between them. Mason and Handscomb, Chebyshev Polynomials, 2003,
// chapter 6.
func follow(b body, degree int, from, to end) track {
	t := track{start: from.at, degree: degree}
	for k := 0; k <= degree; k++ {
		x := math.Cos(math.Pi * float64(k) / float64(degree))
		position := to.position
		switch part := (1 + x) / 2; k {
		case 0:
		case degree:
			position = from.position
		default:
			position = b(from.at+instant(part), from.frame.towards(to.frame, part))
		}
		t.add(x, position, halved(k, degree)*2/float64(degree))
	}
	return t
}

// add adds the value v at node x to all terms.
func (t *track) add(x float64, v vector, weight float64) {
	before, now := x, 1.0 // T(-1) = T(1), T(0)
	for j := 0; j <= t.degree; j++ {
		w := weight * halved(j, t.degree) * now
		c := &t.terms[j]
		c.x, c.y, c.z = c.x+w*v.x, c.y+w*v.y, c.z+w*v.z
		before, now = now, 2*x*now-before
	}
}

// halved returns the weight of the first and the last term in the double-primed sum.
func halved(n, degree int) float64 {
	if n == 0 || n == degree {
		return 0.5
	}
	return 1
}

// at evaluates the series by Clenshaw's rule.
func (t *track) at(i instant) vector {
	x := 2*float64(i-t.start) - 1
	var a, b vector
	for j := t.degree; j > 0; j-- {
		c := t.terms[j]
		a, b = vector{2*x*a.x - b.x + c.x, 2*x*a.y - b.y + c.y, 2*x*a.z - b.z + c.z}, a
	}
	c := t.terms[0]
	return vector{x*a.x - b.x + c.x, x*a.y - b.y + c.y, x*a.z - b.z + c.z}
}
