package session

import "strings"

// sign is a part of a User-Agent header that identifies a browser or a system.
type sign struct{ part, name string }

// browsers lists the signs of browsers. Most browsers include the signs of those after them.
var browsers = []sign{
	{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"},
	{"OPR/", "Opera"}, {"OPT/", "Opera"},
	{"SamsungBrowser/", "Samsung Internet"},
	{"Vivaldi/", "Vivaldi"},
	{"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"},
	{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Chromium/", "Chrome"},
	{"Safari/", "Safari"},
}

// systems lists the signs of systems, likewise.
var systems = []sign{
	{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"iPod", "iPod"},
	{"Android", "Android"},
	{"Windows", "Windows"},
	{"CrOS", "ChromeOS"},
	{"Macintosh", "macOS"}, {"Mac OS X", "macOS"},
	{"Linux", "Linux"}, {"FreeBSD", "FreeBSD"}, {"OpenBSD", "OpenBSD"},
}

// find returns the name of the first sign in a text, or "".
func find(list []sign, in string) string {
	for _, s := range list {
		if strings.Contains(in, s.part) {
			return s.name
		}
	}
	return ""
}

// agent returns the browser and the system of a User-Agent header in words, such as "Firefox on
// Windows", or "" if both are unknown. It has at most 64 characters and no text of the header.
func agent(header string) string {
	browser, system := find(browsers, header), find(systems, header)
	switch {
	case system == "":
		return browser
	case browser == "":
		return "a browser on " + system
	}
	return browser + " on " + system
}
