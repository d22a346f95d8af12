package account

import (
	"encoding/csv"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"time"

	"leadline/internal/access/limit"
	"leadline/internal/access/quota"
	"leadline/internal/chart"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/selfservice"
)

var usageView = charted[usagePage]("usage")

// monthsShown is the number of months of which the days are kept: the running one and 13 before it.
const monthsShown = 14

// monthLayout is the layout of months in addresses and operations.
const monthLayout = "2006-01"

// usagePage shows the requests of an account in a month.
type usagePage struct {
	page.AccountFrame
	Month   monthView // the running month
	Days    daysView  // of the chosen month
	Choices []choice  // of months, the newest first
	Notice  string    // about the month in the address
}

// monthView is the running month of an account.
type monthView struct {
	Used, Limit     int
	Approaching     int // the uses from which a warning is given
	Critical        int
	Percent         int // of the limit, rounded down
	Exhausted       bool
	Forecast        int           // uses at the end of the month; 0 if there is no forecast
	Ends            template.HTML // day on which the quota is used up at this pace, or ""
	Resets          template.HTML // time
	Name            string        // November 2026
	begins, resetAt time.Time
}

// monthOf returns the running month as it is at now.
func monthOf(u selfservice.MonthUsage, now time.Time) monthView {
	begins, _ := time.Parse(monthLayout, u.Month) // the operation writes valid months
	m := monthView{
		Used: u.Used, Limit: u.Limit, Approaching: u.Limit * 80 / 100, Critical: u.Limit * 95 / 100,
		Percent: u.Used * 100 / max(u.Limit, 1), Exhausted: u.Warning == quota.Exhausted,
		Resets: moment(u.ResetsAt), Name: begins.Format(monthName),
		begins: begins, resetAt: u.ResetsAt,
	}
	m.forecast(now)
	return m
}

// leastPace is the time of a month that must have passed before its pace says something about the
// rest. Ours.
const leastPace = 24 * time.Hour

// forecast sets the uses at the end of the month if they go on as since its begin: with three
// digits, because the pace is not known better. There is no forecast without uses, in the first 24
// hours, or once the quota is used up, because what is refused then is no use.
func (m *monthView) forecast(now time.Time) {
	passed, whole := now.Sub(m.begins), m.resetAt.Sub(m.begins)
	if m.Used == 0 || m.Used >= m.Limit || passed < leastPace || passed >= whole {
		return
	}
	pace := float64(m.Used) / float64(passed)
	m.Forecast = max(m.Used, threeDigits(pace*float64(whole)))
	if m.Forecast > m.Limit {
		m.Ends = dayElement(m.begins.Add(time.Duration(float64(m.Limit) / pace)))
	}
}

// threeDigits rounds a count to three digits.
func threeDigits(v float64) int {
	step := 1.0
	for v/step >= 1000 {
		step *= 10
	}
	return int(math.Round(v/step) * step)
}

// daysView shows the days of a month.
type daysView struct {
	Name    string // November 2026
	Running bool
	Used    int // exact figure of the month
	Rows    []dayRow
	Sum     dayRow
	Served  *figure // nil without requests
	Refused *figure // nil if none was refused
}

// dayRow holds the requests of a day: over REST and over MCP.
type dayRow struct {
	Day        template.HTML
	Served     [2]int
	Refused    [2]int
	AllRefused int
}

// figure is a chart for wide and for narrow pages.
type figure struct{ Wide, Narrow template.HTML }

// surfaceOf returns the index of a surface in rows, and false for others.
func surfaceOf(name string) (int, bool) {
	switch name {
	case limit.REST.Name():
		return 0, true
	case limit.MCP.Name():
		return 1, true
	}
	return 0, false
}

// usage shows the requests of a month.
func (v *visit) usage() {
	u, days, err := v.readUsage()
	if err != nil {
		v.fail(err)
		return
	}
	p := usagePage{AccountFrame: v.frame(), Month: monthOf(u.Month, v.c.Now())}
	chosen := p.Month.begins
	if asked := v.r.URL.Query().Get("month"); asked != "" {
		at, err := time.Parse(monthLayout, asked)
		if oldest := p.Month.begins.AddDate(0, 1-monthsShown, 0); err != nil || at.Before(oldest) ||
			at.After(p.Month.begins) {
			p.Notice = "The month must be one of the 14 that are kept, from " +
				oldest.Format(monthLayout) + " to " + p.Month.begins.Format(monthLayout) + "."
		} else {
			chosen = at
		}
	}
	for i := range monthsShown {
		at := p.Month.begins.AddDate(0, -i, 0)
		p.Choices = append(p.Choices,
			choice{at.Format(monthLayout), at.Format(monthName), at.Equal(chosen)})
	}
	p.Days = v.daysOf(chosen, p.Month, u, days)
	usageView.Write(v.w, http.StatusOK, p)
}

// readUsage returns the usage of the account, with the days of all months.
func (v *visit) readUsage() (u selfservice.Usage, days []selfservice.UsageDay, err error) {
	if u, err = operation.Run(v.ctx(), v.c.Set.Account.Usage, selfservice.UsageInput{}); err != nil {
		return u, nil, err
	}
	list, err := operation.Run(v.ctx(), v.c.Set.Account.UsageDays, selfservice.UsageDaysInput{})
	return u, list.Days, err
}

// daysOf returns the days of a month that have begun.
func (v *visit) daysOf(
	begins time.Time, running monthView, u selfservice.Usage, days []selfservice.UsageDay,
) daysView {
	next := begins.AddDate(0, 1, 0)
	d := daysView{
		Name: begins.Format(monthName), Running: begins.Equal(running.begins), Used: running.Used,
	}
	end := next
	if d.Running {
		end = running.begins.AddDate(0, 0, v.c.Now().UTC().Day())
	} else {
		d.Used = usedIn(u, begins)
	}
	for day := begins; day.Before(end); day = day.AddDate(0, 0, 1) {
		d.Rows = append(d.Rows, dayRow{Day: dayElement(day)})
	}
	for _, c := range days {
		on, ok := surfaceOf(c.Surface)
		if i := c.Day.Day() - 1; ok && !c.Day.Before(begins) && c.Day.Before(end) {
			d.Rows[i].add(on, c)
			d.Sum.add(on, c)
		}
	}
	d.draw(begins, next, running.Limit)
	return d
}

// usedIn returns the units that were used in a month.
func usedIn(u selfservice.Usage, month time.Time) int {
	for _, m := range u.Months {
		if m.Month == month.Format(monthLayout) {
			return m.Used
		}
	}
	return 0
}

// add adds the requests of a day on a surface.
func (r *dayRow) add(on int, c selfservice.UsageDay) {
	r.Served[on] += c.Served
	r.Refused[on] += c.Refused
	r.AllRefused += c.Refused
}

// draw draws the charts of the month that begins and ends at these times. The limit is that of the
// running month: the plans of other months are not known.
func (d *daysView) draw(begins, ends time.Time, limit int) {
	served := chart.Bars{
		Title: "Served requests a day, " + d.Name, Labels: [2]string{"REST", "MCP"},
	}
	for day := begins; day.Before(ends); day = day.AddDate(0, 0, 1) {
		served.Days = append(served.Days, strconv.Itoa(day.Day()))
	}
	refused := served
	refused.Title = "Refused requests a day, " + d.Name
	for _, r := range d.Rows {
		served.Lower, served.Upper = append(served.Lower, r.Served[0]), append(served.Upper, r.Served[1])
		refused.Lower = append(refused.Lower, r.Refused[0])
		refused.Upper = append(refused.Upper, r.Refused[1])
	}
	if d.Running {
		served.Share = float64(limit) / float64(len(served.Days))
	}
	if d.Sum.Served != [2]int{} {
		d.Served = draw("served", served, chart.BarsWide, chart.BarsNarrow)
	}
	if d.Sum.AllRefused > 0 {
		d.Refused = draw("refused", refused, chart.BarsLow, chart.BarsLowNarrow)
	}
}

// draw draws bars in two sizes.
func draw(id string, c chart.Bars, wide, narrow chart.Size) *figure {
	return &figure{
		Wide:   template.HTML(c.Draw(wide).AppendSVG(nil, id, "broad")),
		Narrow: template.HTML(c.Draw(narrow).AppendSVG(nil, id+"-narrow", "narrow")),
	}
}

// usageCSV sends the days of all months as CSV (RFC 4180). Its values are days, names of surfaces
// and counts, none of which a spreadsheet takes for a formula.
func (v *visit) usageCSV() {
	list, err := operation.Run(v.ctx(), v.c.Set.Account.UsageDays, selfservice.UsageDaysInput{})
	if err != nil {
		v.fail(err)
		return
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="leadline-usage-`+
		v.c.Now().UTC().Format(time.DateOnly)+`.csv"`)
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	w := csv.NewWriter(v.w)
	w.UseCRLF = true
	w.Write([]string{"day", "surface", "served", "refused"})
	for _, d := range list.Days {
		if _, ok := surfaceOf(d.Surface); ok {
			w.Write([]string{
				d.Day.Format(time.DateOnly), d.Surface, strconv.Itoa(d.Served), strconv.Itoa(d.Refused),
			})
		}
	}
	w.Flush() // an error is that of the connection
}
