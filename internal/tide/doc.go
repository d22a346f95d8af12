// Package tide predicts tides and tidal currents from harmonic constants, the
// way NOAA's Center for Operational Oceanographic Products and Services does.
//
// The inputs are the constants of a station (amplitude and Greenwich phase lag of up to
// 120 constituents), the height of mean sea level above the datum or the mean flow, for
// subordinate stations the offsets from their reference, and a span of time. The
// results are high and low waters, slacks and maximum currents, rounded to the minute
// as NOAA publishes them, heights and velocities at even steps, and the spans of time
// in which heights or speeds lie on one side of a level. Heights are meters, velocities
// knots with flood positive, times UTC. The package has no stations or time zones and
// uses neither a clock nor the network.
//
// # The sum
//
// The tide is a sum of cosines, one for each constituent:
//
//	h(t) = Σ f·H·cos(a·τ + (V0+u) − G)
//
// H and G are the station's amplitude and phase lag, a the speed of the constituent, V0 its
// equilibrium argument at the beginning of the year, τ the time since then. f and u correct
// for the slow rotation of the moon's nodes (18.6 years). NOAA uses one f and one u for
// each UTC calendar year, computed at its middle, and so do we: each year has its own
// function, and the predicted height jumps by a few millimeters at New Year. Interpolating
// f and u would be more accurate astronomy, but would differ from the published heights by
// up to 0.14 m. The formulas come from Paul Schureman, Manual of Harmonic Analysis and
// Prediction of Tides, Special Publication 98 (1940, revised 1958), called SP 98 below; the
// mean longitudes come from Jean Meeus, Astronomical Algorithms (2nd edition 1998).
//
// # Events
//
// A turn is an extremum of the sum. NOAA lists the turns of a tide as high and
// low waters, but omits two neighbors less than two hours and less than
// 0.1 ft apart (see settle). A subordinate station has the turns of its
// reference, shifted and scaled, and the rule applies to its own times and
// heights. Currents include every turn of at least 0.1 knot at the station itself
// (see Weak), and have a slack where the velocity changes its sign, but one
// slack only if it changes back within the hour (see together).
//
// No result depends on where its span begins: grids start at fixed instants of
// the year, and rules about neighbors search as far as necessary.
//
// # Spans
//
// Below, Above, AtMost and AtLeast search each cell of the grid in which the
// polynomial can pass the level. At subordinate stations they search the
// reference's cells between two events, at the level that corresponds there.
//
// # Speed
//
// A cosine at even steps obeys x₊ = 2cos(aΔ)·x − x₋, so the sum is taken on a grid of
// 30 minutes or less with one multiplication for each constituent and sample. A
// polynomial interpolates between the samples; the grid is chosen for each station such
// that its error is less than 2 micrometers. Samples are always computed from the same
// instants of the year, so that every request has the same values, to the last bit. An
// Almanac can therefore keep the high and low waters of a month that is requested
// again.
//
// # Limits
//
// Predictions are as accurate as NOAA's own, whose constants describe an average of
// some years and exclude wind, pressure and rivers. Instants outside the years 1 to
// 9999 are moved to that range, and far from the present the constants are not
// meaningful. Spans of events end 400 years after they begin.
package tide
