package tide

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// count is the number of known constituents.
const count = 120

// Constituent is one of the known constituents: NOAA's 37 in NOAA's order and numbers,
// then the 83 that only Anchorage uses.
type Constituent struct {
	Number      int     // NOAA's number, from 1
	Name        string  // NOAA's name, such as M2
	Description string  // its cause, in a few words
	Speed       float64 // degrees per hour, with the 7 decimals that NOAA publishes and uses
}

// Constituents returns all 120 constituents in order of their number, so that number n is
// at index n−1. The caller must not change the slice.
func Constituents() []Constituent { return published() }

// Lookup returns the index in Constituents of the constituent with NOAA's name, without
// regard to case. It also accepts the few names that others use (LDA2 for LAM2, RHO1 for
// RHO, PSI1 for RP1, ...).
func Lookup(name string) (index int, ok bool) {
	name = strings.ToUpper(name)
	if own, ok := aliases[name]; ok {
		name = own
	}
	index = slices.IndexFunc(published(), func(c Constituent) bool { return c.Name == name })
	return max(index, 0), index >= 0
}

// aliases maps other names of constituents to NOAA's.
var aliases = map[string]string{
	"LDA2": "LAM2", "LAMBDA2": "LAM2", "RHO1": "RHO",
	"SIG1": "SIGMA1", "THE1": "THETA1", "PSI1": "RP1",
	"M2(KS)2": "M2KS2", "2SN(MK)2": "2SNMK2", "2KM(SN)2": "2KMSN2", "2MNLS6": "2MLNS6",
	"2(MS)8": "2MS8", "2(MN)8": "2MN8", "OQ2-HORN": "OO2", "OQ2": "OO2",
}

// definition holds the rules that compute the argument and the node factor of a
// constituent from the longitudes of sun and moon.
type definition struct {
	Constituent
	// Multiples of the hour angle of the mean sun T and of the mean longitudes
	// of the moon s, the sun h, the lunar perigee p and the solar perigee p1,
	// and a constant in degrees: together V (SP 98, Table 2).
	T, s, h, p, p1, c int
	// Multiples of the node angles: together u (SP 98, Table 2).
	nodal nodal
	// The node factor f is the product of these.
	factors []factor
}

// nodal holds the multiples of the node angles in the correction u.
type nodal struct{ xi, nu, nu1, nu2, r, q int }

// The causes that several constituents share.
const (
	shallow  = "shallow water: "
	diurnal  = "lunar diurnal"
	evection = "by the evection of the moon"
)

// The node angles that several constituents share in SP 98, Table 2.
var (
	noNode  = nodal{}
	nodeM2  = nodal{xi: 2, nu: -2}
	nodeO1  = nodal{xi: 2, nu: -1}
	nodeJ1  = nodal{nu: -1}
	node2M2 = nodal{xi: 4, nu: -4}
)

// standard holds NOAA's 37. Arguments from SP 98, Table 2, where T is the hour angle
// (180° at midnight); T2, R2 and the K's contain their mean-sun parts.
//
// M1 is NOAA's own mixture: its V0 omits the perigee p that its speed contains, and u
// adds Q instead (see node). The textbook form would be wrong by up to 0.010 m and 12
// minutes.
var standard = []definition{
	{Constituent{1, "M2", "principal lunar semidiurnal", 28.9841042}, 2, -2, 2, 0, 0, 0, nodeM2,
		[]factor{f78}},
	{Constituent{2, "S2", "principal solar semidiurnal", 30.0000000}, 2, 0, 0, 0, 0, 0, noNode, nil},
	{Constituent{3, "N2", "larger lunar elliptic semidiurnal", 28.4397295}, 2, -3, 2, 1, 0, 0, nodeM2,
		[]factor{f78}},
	{Constituent{4, "K1", "lunisolar declinational diurnal", 15.0410686}, 1, 0, 1, 0, 0, -90,
		nodal{nu1: -1}, []factor{f227}},
	{Constituent{5, "M4", shallow + "overtide of M2", 57.9682084}, 4, -4, 4, 0, 0, 0, node2M2,
		[]factor{f78, f78}},
	{Constituent{6, "O1", "principal lunar declinational diurnal", 13.9430356}, 1, -2, 1, 0, 0, 90,
		nodeO1, []factor{f75}},
	{Constituent{7, "M6", shallow + "overtide of M2", 86.9523126}, 6, -6, 6, 0, 0, 0,
		nodal{xi: 6, nu: -6}, []factor{f78, f78, f78}},
	{Constituent{8, "MK3", shallow + "M2 and K1", 44.0251729}, 3, -2, 3, 0, 0, -90,
		nodal{xi: 2, nu: -2, nu1: -1}, []factor{f78, f227}},
	{Constituent{9, "S4", shallow + "overtide of S2", 60.0000000}, 4, 0, 0, 0, 0, 0, noNode, nil},
	{Constituent{10, "MN4", shallow + "M2 and N2", 57.4238337}, 4, -5, 4, 1, 0, 0, node2M2,
		[]factor{f78, f78}},
	{Constituent{11, "NU2", "larger lunar semidiurnal " + evection, 28.5125831}, 2, -3, 4, -1, 0, 0,
		nodeM2, []factor{f78}},
	{Constituent{12, "S6", shallow + "overtide of S2", 90.0000000}, 6, 0, 0, 0, 0, 0, noNode, nil},
	{Constituent{13, "MU2", "lunar semidiurnal by the variation of the moon", 27.9682084}, 2, -4, 4, 0,
		0, 0, nodeM2, []factor{f78}},
	{Constituent{14, "2N2", "lunar elliptic semidiurnal of second order", 27.8953548}, 2, -4, 2, 2, 0,
		0, nodeM2, []factor{f78}},
	{Constituent{15, "OO1", diurnal + " of second order", 16.1391017}, 1, 2, 1, 0, 0, -90,
		nodal{xi: -2, nu: -1}, []factor{f77}},
	{Constituent{16, "LAM2", "smaller lunar semidiurnal " + evection, 29.4556253}, 2, -1, 0, 1, 0, 180,
		nodeM2, []factor{f78}},
	{Constituent{17, "S1", "solar diurnal, mostly by weather", 15.0000000}, 1, 0, 0, 0, 0, 0, noNode,
		nil},
	{Constituent{18, "M1", "smaller lunar elliptic diurnal", 14.4966939}, 1, -1, 1, 0, 0, -90,
		nodal{xi: 1, nu: -1, q: 1}, []factor{f206}},
	{Constituent{19, "J1", "smaller lunar elliptic diurnal", 15.5854433}, 1, 1, 1, -1, 0, -90, nodeJ1,
		[]factor{f76}},
	{Constituent{20, "MM", "lunar monthly", 0.5443747}, 0, 1, 0, -1, 0, 0, noNode, []factor{f73}},
	{Constituent{21, "SSA", "solar semiannual, mostly by weather", 0.0821373}, 0, 0, 2, 0, 0, 0,
		noNode, nil},
	{Constituent{22, "SA", "solar annual, mostly by weather", 0.0410686}, 0, 0, 1, 0, 0, 0, noNode,
		nil},
	{Constituent{23, "MSF", "lunisolar synodic fortnightly", 1.0158958}, 0, 2, -2, 0, 0, 0,
		nodal{xi: -2, nu: 2}, []factor{f78}},
	{Constituent{24, "MF", "lunisolar fortnightly", 1.0980331}, 0, 2, 0, 0, 0, 0, nodal{xi: -2},
		[]factor{f74}},
	{Constituent{25, "RHO", "larger lunar diurnal " + evection, 13.4715145}, 1, -3, 3, -1, 0, 90,
		nodeO1, []factor{f75}},
	{Constituent{26, "Q1", "larger lunar elliptic diurnal", 13.3986609}, 1, -3, 1, 1, 0, 90, nodeO1,
		[]factor{f75}},
	{Constituent{27, "T2", "larger solar elliptic semidiurnal", 29.9589333}, 2, 0, -1, 0, 1, 0, noNode,
		nil},
	{Constituent{28, "R2", "smaller solar elliptic semidiurnal", 30.0410667}, 2, 0, 1, 0, -1, 180,
		noNode, nil},
	{Constituent{29, "2Q1", "lunar elliptic diurnal of second order", 12.8542862}, 1, -4, 1, 2, 0, 90,
		nodeO1, []factor{f75}},
	{Constituent{30, "P1", "principal solar declinational diurnal", 14.9589314}, 1, 0, -1, 0, 0, 90,
		noNode, nil},
	{Constituent{31, "2SM2", shallow + "S2 and M2", 31.0158958}, 2, 2, -2, 0, 0, 0,
		nodal{xi: -2, nu: 2}, []factor{f78}},
	{Constituent{32, "M3", "lunar terdiurnal, by the moon's parallax", 43.4761563}, 3, -3, 3, 0, 0, 0,
		nodal{xi: 3, nu: -3}, []factor{f149}},
	{Constituent{33, "L2", "smaller lunar elliptic semidiurnal", 29.5284789}, 2, -1, 2, -1, 0, 180,
		nodal{xi: 2, nu: -2, r: -1}, []factor{f215}},
	{Constituent{34, "2MK3", shallow + "M2 and K1", 42.9271398}, 3, -4, 3, 0, 0, 90,
		nodal{xi: 4, nu: -4, nu1: 1}, []factor{f78, f78, f227}},
	{Constituent{35, "K2", "lunisolar declinational semidiurnal", 30.0821373}, 2, 0, 2, 0, 0, 0,
		nodal{nu2: -1}, []factor{f235}},
	{Constituent{36, "M8", shallow + "overtide of M2", 115.9364169}, 8, -8, 8, 0, 0, 0,
		nodal{xi: 8, nu: -8}, []factor{f78, f78, f78, f78}},
	{Constituent{37, "MS4", shallow + "M2 and S2", 58.9841042}, 4, -2, 2, 0, 0, 0, nodeM2,
		[]factor{f78}},
}

// definitions returns the definitions of all constituents, in order of their number.
var definitions = sync.OnceValue(func() []definition {
	return slices.Concat(standard, compounds())
})

// published returns the constituents for Constituents.
var published = sync.OnceValue(func() []Constituent {
	list := make([]Constituent, 0, count)
	for _, d := range definitions() {
		list = append(list, d.Constituent)
	}
	return list
})

// speeds returns the speeds of all constituents in radians per second.
var speeds = sync.OnceValue(func() *[count]float64 {
	var s [count]float64
	for i, c := range published() {
		s[i] = c.Speed * degree / 3600
	}
	return &s
})

// anchorage lists the 83 additional constituents of Anchorage (9455920), in the order of
// NOAA's list. The water of Knik Arm is so shallow that its tide contains many products
// of the astronomical constituents. The argument of such a product is the sum of its
// members' arguments, its node factor the product of theirs. The members with their
// multiples follow the colon. Names without members are defined in special.
//
// No published NOAA prediction of Anchorage was available to verify them.
const anchorage = `SIGMA1 MP1 CHI1 2PO1:2P1-O1 SO1

MSN2:M2+S2-N2 MNS2:M2+N2-S2 OP2:O1+P1 MKS2:M2+K2-S2 2NS2:2N2-S2 MLN2S2:M2+L2+N2-2S2
2ML2S2:2M2+L2-2S2 SKM2:S2+K2-M2 2MS2K2:2M2+S2-2K2 MKL2S2:M2+K2+L2-2S2 M2KS2:M2+2K2-2S2
2SNMK2:2S2+N2-M2-K2 2KMSN2:2K2+M2-S2-N2
SO3:S2+O1 SK3:S2+K1 NO3:N2+O1
MK4:M2+K2 SN4:S2+N2 2MLS4:2M2+L2-S2 3MS4:3M2-S2 ML4:M2+L2 N4:2N2 SL4:S2+L2
MNO5:M2+N2+O1 2MO5:2M2+O1 2MK5:2M2+K1 MSK5:M2+S2+K1 3KM5:K1+K2+M2 2MP5:2M2+P1 3MP5:3M2-P1
MNK5:M2+N2+K1
2SM6:2S2+M2 2MN6:2M2+N2 MSN6:M2+S2+N2 2MS6:2M2+S2 2NMLS6:2N2+M2+L2-S2 2NM6:2N2+M2 MSL6:M2+S2+L2
2ML6:2M2+L2 MSK6:M2+S2+K2 2MLNS6:2M2+L2+N2-S2 3MLS6:3M2+L2-S2 2MK6:2M2+K2
2MNO7:2M2+N2+O1 2NMK7:2N2+M2+K1 2MSO7:2M2+S2+O1 MSKO7:M2+S2+K2+O1
2MSN8:2M2+S2+N2 3MS8:3M2+S2 2MS8:2M2+2S2 2MN8:2M2+2N2 3MN8:3M2+N2 2MSL8:2M2+S2+L2 4MLS8:4M2+L2-S2
3ML8:3M2+L2 3MK8:3M2+K2 2MSK8:2M2+S2+K2
2M2NK9:2M2+2N2+K1 3MNK9:3M2+N2+K1 4MK9:4M2+K1 3MSK9:3M2+S2+K1
4MN10:4M2+N2 M10:5M2 3MNS10:3M2+N2+S2 4MS10:4M2+S2 3MSL10:3M2+S2+L2 3M2S10:3M2+2S2
4MSK11:4M2+S2+K1
4MNS12:4M2+N2+S2 5MS12:5M2+S2 4MSL12:4M2+S2+L2 4M2S12:4M2+2S2
TK1:T2-K1 RP1 KP1:K2-P1 THETA1 KJ2 OO2:O1+Q1`

// special holds Anchorage's constituents that are not products of the 37 (SP 98, Table
// 2).
var special = []definition{
	{Constituent{0, "SIGMA1", "lunar diurnal by the variation of the moon", 0}, 1, -4, 3, 0, 0, 90,
		nodeO1, []factor{f75}},
	{Constituent{0, "MP1", "lunisolar diurnal", 0}, 1, -2, 3, 0, 0, -90, nodeJ1, []factor{f76}},
	{Constituent{0, "CHI1", "smaller lunar diurnal " + evection, 0}, 1, -1, 3, -1, 0, -90, nodeJ1,
		[]factor{f76}},
	{Constituent{0, "SO1", "lunisolar diurnal", 0}, 1, 2, -1, 0, 0, -90, nodeJ1, []factor{f76}},
	{Constituent{0, "RP1", "smaller solar elliptic diurnal", 0}, 1, 0, 2, 0, -1, -90, noNode, nil},
	{Constituent{0, "THETA1", "lunar diurnal " + evection, 0}, 1, 1, -1, 1, 0, -90, nodeJ1,
		[]factor{f76}},
	{Constituent{0, "KJ2", "lunar semidiurnal: K1 and J1", 0}, 2, 1, 2, -1, 0, 180, nodal{nu: -2},
		[]factor{f79}},
}

// compounds returns Anchorage's constituents, numbered after the standard ones.
func compounds() []definition {
	var list []definition
	for i, entry := range strings.Fields(anchorage) {
		d := compound(entry)
		d.Number = len(standard) + 1 + i
		d.Speed = d.speed()
		list = append(list, d)
	}
	return list
}

// compound returns the definition of one entry of anchorage.
func compound(entry string) definition {
	name, members, product := strings.Cut(entry, ":")
	if !product {
		return find(special, name)
	}
	d := multiply(members)
	d.Name = name
	d.Description = shallow + formula.Replace(members)
	return d
}

// formula writes the members of a product as a formula. signed separates them and keeps the signs.
var (
	formula = strings.NewReplacer("+", " + ", "-", " − ")
	signed  = strings.NewReplacer("+", " ", "-", " -")
)

// find returns the definition of the constituent name, which must be in list.
func find(list []definition, name string) definition {
	return list[slices.IndexFunc(list, func(d definition) bool { return d.Name == name })]
}

// multiply returns the product of members such as 2M2+L2-S2. A name that begins with a
// digit, such as 2N2, is twice N2 here, which differs from the elliptic 2N2.
func multiply(members string) definition {
	var d definition
	for member := range strings.FieldsSeq(signed.Replace(members)) {
		times := 1
		if rest, negative := strings.CutPrefix(member, "-"); negative {
			member, times = rest, -1
		}
		if digit := member[0]; digit <= '9' {
			member, times = member[1:], times*int(digit-'0')
		}
		d.add(times, find(standard, member))
	}
	return d
}

// add adds times m's argument and nodal correction, and multiplies by its node factor as
// often. A subtracted member still multiplies: its amplitude enters the product of
// cosines either way.
func (d *definition) add(times int, m definition) {
	d.T += times * m.T
	d.s += times * m.s
	d.h += times * m.h
	d.p += times * m.p
	d.p1 += times * m.p1
	d.c += times * m.c
	d.nodal.xi += times * m.nodal.xi
	d.nodal.nu += times * m.nodal.nu
	d.nodal.nu1 += times * m.nodal.nu1
	d.nodal.nu2 += times * m.nodal.nu2
	d.nodal.r += times * m.nodal.r
	for range max(times, -times) {
		d.factors = append(d.factors, m.factors...)
	}
}

// speed returns the speed in degrees per hour from the mean motions of the epoch 1900 (SP
// 98, Table 1), rounded to the 7 published decimals.
func (d *definition) speed() float64 {
	const (
		century = 36525 * 24.0 // hours
		s       = (1336*360 + 1108411.20/3600) / century
		h       = 129602768.13 / 3600 / century
		p       = (11*360 + 392515.94/3600) / century
		p1      = 6189.03 / 3600 / century
	)
	sum := 15*float64(d.T) + s*float64(d.s) + h*float64(d.h) + p*float64(d.p) + p1*float64(d.p1)
	return math.Round(sum*1e7) / 1e7
}
