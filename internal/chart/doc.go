// Package chart draws tides, currents, wind, light and usage as pictures. The input is plain
// numbers and times. The output is a Scene, which can be written as SVG for a page, an SVG
// file, a PNG, or text for a terminal. The package sends no requests, reads no clock and uses
// only the given time zone.
//
// A scene is laid out once, in units that are CSS pixels in an SVG at its natural width.
// Shapes have a Role instead of a color: theme.go has one table of colors for light and dark,
// which the style of a page and PNG share.
//
// The geometry follows the tide tables that mariners read: time from left to right in the
// station's civil time, night shaded, every high and low water a dot with its time and height.
// Predicted and observed values never share a line.
package chart
