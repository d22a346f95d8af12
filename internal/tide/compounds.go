package tide

import (
	"math"
	"slices"
	"strings"
)

// anchorage are the 83 further constituents of Anchorage (9455920), in the
// order of NOAA's list. The water of Knik Arm is so shallow that its tide
// holds many products of the astronomical constituents: the argument of such a
// product is the sum of its members' arguments, its node factor the product of
// theirs. After the colon stand the members with their multiples. Names
// without members are defined in special.
//
// No published NOAA prediction of Anchorage was at hand to try them on.
const anchorage = `SIGMA1 MP1 CHI1 2PO1:2P1-O1 SO1
MSN2:M2+S2-N2 MNS2:M2+N2-S2 OP2:O1+P1 MKS2:M2+K2-S2 2NS2:2N2-S2 MLN2S2:M2+L2+N2-2S2
2ML2S2:2M2+L2-2S2 SKM2:S2+K2-M2 2MS2K2:2M2+S2-2K2 MKL2S2:M2+K2+L2-2S2 M2KS2:M2+2K2-2S2
2SNMK2:2S2+N2-M2-K2 2KMSN2:2K2+M2-S2-N2
SO3:S2+O1 SK3:S2+K1 NO3:N2+O1
MK4:M2+K2 SN4:S2+N2 2MLS4:2M2+L2-S2 3MS4:3M2-S2 ML4:M2+L2 N4:2N2 SL4:S2+L2
MNO5:M2+N2+O1 2MO5:2M2+O1 2MK5:2M2+K1 MSK5:M2+S2+K1 3KM5:K1+K2+M2 2MP5:2M2+P1 3MP5:3M2-P1 MNK5:M2+N2+K1
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

// special are those of Anchorage's that are no products of the 37 (SP 98, Table 2).
var special = []definition{
	{Constituent{0, "SIGMA1", "lunar diurnal by the variation of the moon", 0}, 1, -4, 3, 0, 0, 90, nodeO1, []factor{f75}},
	{Constituent{0, "MP1", "lunisolar diurnal", 0}, 1, -2, 3, 0, 0, -90, nodeJ1, []factor{f76}},
	{Constituent{0, "CHI1", "smaller lunar diurnal " + evection, 0}, 1, -1, 3, -1, 0, -90, nodeJ1, []factor{f76}},
	{Constituent{0, "SO1", "lunisolar diurnal", 0}, 1, 2, -1, 0, 0, -90, nodeJ1, []factor{f76}},
	{Constituent{0, "RP1", "smaller solar elliptic diurnal", 0}, 1, 0, 2, 0, -1, -90, noNode, nil},
	{Constituent{0, "THETA1", "lunar diurnal " + evection, 0}, 1, 1, -1, 1, 0, -90, nodeJ1, []factor{f76}},
	{Constituent{0, "KJ2", "lunar semidiurnal: K1 and J1", 0}, 2, 1, 2, -1, 0, 180, nodal{nu: -2}, []factor{f79}},
}

// compounds are Anchorage's constituents, numbered after the standard ones.
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

// compound is the definition of one entry of anchorage.
func compound(entry string) definition {
	name, members, product := strings.Cut(entry, ":")
	if !product {
		return find(special, name)
	}
	d := multiply(members)
	d.Name = name
	d.Description = shallow + strings.NewReplacer("+", " + ", "-", " − ").Replace(members)
	return d
}

// find returns the definition of the constituent name, which must be in list.
func find(list []definition, name string) definition {
	return list[slices.IndexFunc(list, func(d definition) bool { return d.Name == name })]
}

// multiply is the product of members such as 2M2+L2-S2. A name that begins
// with a digit, such as 2N2, is twice N2 here, which is another constituent
// than the elliptic 2N2.
func multiply(members string) definition {
	var d definition
	for _, member := range strings.Fields(strings.NewReplacer("+", " ", "-", " -").Replace(members)) {
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

// add adds times m's argument and nodal correction, and multiplies by its
// node factor as often. A member that is subtracted still multiplies: its
// amplitude enters the product of cosines either way.
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

// speed is the speed in degrees per hour from the mean motions of the epoch
// 1900 (SP 98, Table 1), rounded to the 7 decimals that are published.
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
