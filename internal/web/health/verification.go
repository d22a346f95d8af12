package health

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"leadline/internal/chart"
	"leadline/internal/page"
	"leadline/internal/verify"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

var verificationView = view.New[verificationPage](files, page.Options{
	Funcs: template.FuncMap{"thousands": chart.Thousands},
	Style: func() string { return ".badge { max-width: 100%; height: auto; }" },
}, "verification", "suggest")

const verificationPath = "/verification"

// verificationPage is the page of the newest comparison with NOAA's predictions.
type verificationPage struct {
	page.Frame
	Class, Lead string // the result on top
	On          bool   // the server runs checks
	Running     string // how far the check is that runs
	Badge       string // address of the picture
	Unread      bool   // the store could not be read
	Report      *verify.Report
	Days        int // that are compared
	Ended       template.HTML
	Took        string
	Reasons     []verify.Reason
	Rows        []differingView
}

// differingView is a station whose predictions differ.
type differingView struct {
	verify.Result
	Off   string // largest difference
	Since template.HTML
}

// verification serves the page of the newest comparison.
func (s *pages) verification(w http.ResponseWriter, r *http.Request) {
	s.Once(w, r, verificationPath, func(ctx context.Context, now time.Time) site.Response {
		v := verificationPage{
			Frame: s.Frame("Status", "How far the predictions of this server are from NOAA's own, "+
				"station by station."),
			Badge: s.Base + verificationPath + ".svg", Days: verify.Days,
		}
		v.Canonical, v.Skip = s.Base+verificationPath, "the result"
		snapshot, ok := s.verified(ctx)
		if !ok {
			v.Unread, v.Class = true, "care"
			v.Lead = "The result cannot be read: the store does not respond."
			return site.Render(verificationView, v, site.Private)
		}
		v.On, v.Report = snapshot.On, snapshot.Newest
		v.Lead = resultSentence(snapshot.Summary())
		v.Class = "care"
		if isFine(snapshot) {
			v.Class = "good"
		}
		if p := snapshot.Current; p != nil && v.On {
			v.Running = fmt.Sprintf("A check is running since %s: %s of %s so far.", date(p.Report.Began),
				chart.Thousands(p.Report.Compared), view.Plural(p.Report.Stations, "station"))
		}
		v.addReport()
		return site.Render(verificationView, v, time.Minute)
	})
}

// verified reads the newest comparison. ok is false if the store does not respond.
func (s *pages) verified(ctx context.Context) (snapshot verify.Snapshot, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	snapshot, err := s.newest(ctx)
	if err != nil {
		s.Log.Error("page of the comparison with NOAA's predictions", "error", err)
	}
	return snapshot, err == nil
}

// isFine reports whether the newest result is full and recent, and no station differs.
func isFine(s verify.Snapshot) bool {
	return s.Condition == verify.Current && s.Newest.Differing == 0
}

// addReport adds the figures of the newest report.
func (v *verificationPage) addReport() {
	if v.Report == nil {
		return
	}
	v.Ended = view.Instant(v.Report.Ended, v.Report.Ended.Format("2 Jan 2006, 15:04 UTC"))
	v.Took = view.Plural(int(v.Report.Ended.Sub(v.Report.Began).Round(time.Hour).Hours()), "hour")
	v.Reasons = v.Report.Reasons()
	for _, r := range v.Report.Listed {
		v.Rows = append(v.Rows, differingView{
			Result: r, Off: fmt.Sprintf("%.3f", r.Difference) + view.Nbsp + r.Unit(),
			Since: view.Instant(r.Since, date(r.Since)),
		})
	}
}

// date writes a day in UTC: 2 Jan 2006.
func date(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// resultSentence describes the newest comparison in a few sentences.
func resultSentence(v verify.Summary) string {
	if v.CheckedAt == nil {
		switch v.State {
		case verify.Waiting:
			return "There is no result yet: the first comparison with NOAA’s predictions has not ended."
		case verify.Failed:
			return "There is no result: the last comparison with NOAA’s predictions did not end."
		}
		return "There is no result: this server does not compare its predictions with NOAA’s."
	}
	text := fmt.Sprintf("On %s, %s of %s were compared with NOAA’s predictions. %s",
		date(*v.CheckedAt), chart.Thousands(v.Compared), view.Plural(v.Stations, "station"),
		differingWords(v))
	switch v.State {
	case verify.Failed:
		return "The last comparison did not end. The result before it: " + text
	case verify.Outdated:
		return "The newest result is out of date. " + text
	case verify.Incomplete:
		return "The newest result is incomplete. " + text
	}
	return text
}

// differingWords describes the differences of a comparison.
func differingWords(v verify.Summary) string {
	if v.Compared == 0 {
		return "So nothing is known about the others."
	}
	text := "None differs by more than rounding explains"
	if v.Differing > 0 {
		text = view.Plural(v.Differing, "station") + " differ by more than rounding explains"
		if v.Differing == 1 {
			text = "One station differs by more than rounding explains"
		}
	}
	return text + "; the largest difference is " + largestWords(v) + "."
}

// largestWords writes the largest differences: 0.001 m and 0.004 kn.
func largestWords(v verify.Summary) (text string) {
	if v.LargestHeightMeters != nil {
		text = fmt.Sprintf("%.3f%sm", *v.LargestHeightMeters, view.Nbsp)
	}
	if v.LargestSpeedKnots != nil {
		if text != "" {
			text += " and "
		}
		text += fmt.Sprintf("%.3f%skn", *v.LargestSpeedKnots, view.Nbsp)
	}
	return text
}

// badge serves the newest result as a small picture.
func (s *pages) badge(w http.ResponseWriter, r *http.Request) {
	s.Once(w, r, verificationPath+".svg", func(ctx context.Context, _ time.Time) site.Response {
		snapshot, ok := s.verified(ctx)
		text, color, kept := "not known", badgeGray, site.Private
		if ok {
			text, color = badgeText(snapshot)
			kept = time.Hour
		}
		return site.File("image/svg+xml", badgeSVG(text, color), kept)
	})
}

// The colors of a badge, on which white text has a contrast of at least 4.5.
const (
	badgeGray  = "#5a6872"
	badgeGreen = "#1a7048"
	badgeAmber = "#8a5a00"
)

// badgeText returns the text and the color of the badge of a snapshot.
func badgeText(s verify.Snapshot) (text, color string) {
	v := s.Summary()
	if v.CheckedAt == nil {
		text = "no result"
		if s.Condition == verify.Failed {
			text = "no result, last check failed"
		}
		return text, badgeGray
	}
	month := v.CheckedAt.UTC().Format("2006-01")
	stations := view.Plural(v.Compared, "station")
	switch s.Condition {
	case verify.Failed:
		return "last check failed, result of " + month, badgeAmber
	case verify.Outdated:
		return "out of date, result of " + month, badgeGray
	case verify.Incomplete:
		return "incomplete, " + chart.Thousands(v.Compared) + " of " +
			view.Plural(v.Stations, "station") + ", " + month, badgeAmber
	}
	text, color = largestWords(v)+" max, "+stations+", "+month, badgeGreen
	if v.Differing > 0 {
		text, color = fmt.Sprintf("%s, %s differ", text, chart.Thousands(v.Differing)), badgeAmber
	}
	return text, color
}

// badgeSVG draws a badge. The widths of the texts are estimates that textLength enforces, because
// fonts differ.
func badgeSVG(text, color string) []byte {
	const label, perLetter, margin = "predictions", 5.9, 8
	width := func(s string) int { return int(perLetter * float64(len([]rune(s)))) }
	left := width(label) + 2*margin
	right := width(text) + 2*margin
	alt := template.HTMLEscapeString(label + ": " + text)
	part := func(x, w int, s string) string {
		return fmt.Sprintf(`<text x="%d" y="14" textLength="%d">%s</text>`, x+margin, w-2*margin,
			template.HTMLEscapeString(s))
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" `+
		`role="img" aria-label="%[2]s"><title>%[2]s</title><clipPath id="r"><rect width="%[1]d" `+
		`height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="%[3]d" height="20" `+
		`fill="#33424c"/><rect x="%[3]d" width="%[4]d" height="20" fill="%[5]s"/></g><g fill="#fff" `+
		`font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">%[6]s%[7]s</g></svg>`+"\n",
		left+right, alt, left, right, color, part(0, left, label), part(left, right, text))
}
