// Package chart draws tides, currents, wind, light and use as pictures. What comes
// in are plain numbers and times; what goes out is a Scene, and from it SVG for a
// page, an SVG file, a PNG, or text for a terminal. It asks nothing, reads no clock
// and knows no zone but the one that it is given.
//
// A scene is laid out once, in units of which an SVG at its own width shows one a
// CSS pixel. Shapes have a Role instead of a color: theme.go has one table of colors
// for light and dark, which the style of a page and PNG share.
//
// The geometry follows the tide tables that mariners read: time from left to right
// in the station's civil time, night shaded, every high and low water a dot with its
// time and height. What is predicted and what was observed never share a line.
package chart
