// Package derived is the table of NOAA's derived products: statistics that NOAA CO-OPS
// computed from long records of water levels. The client uses its paths, parameters and
// lists, the operations use its names and pages, and the simulator uses its paths and
// columns.
package derived

import "strings"

// Site is NOAA's website for people.
const Site = "https://tidesandcurrents.noaa.gov/"

// Product is a derived product.
type Product struct {
	ID    string // id of the source in results
	Label string // label of the source in results
	Page  string // relative to Site; {station} is replaced with a station id
	What  string // noun phrase for sentences: "NOAA lists no sea level trends"
	Unit  string // unit of the values that the client returns

	Path    string // relative to the root of the service
	Query   string // parameters of every request
	List    string // member of the response that holds the rows
	Need    string // space-separated; every row has at least one of these columns
	Columns string // of a row, space-separated, in NOAA's order; NOAA's list can be longer
}

// Address returns the page about a product at a station.
func (p Product) Address(station string) string {
	return Site + strings.ReplaceAll(p.Page, "{station}", station)
}

const (
	product  = "product.json" // the query names the product
	extremes = "stationId stationName stationTitle state epoch epochMidyear latitude longitude" +
		" annotation tenYearEvents"
	documents = " annuals monthlies exceedanceLevels exceedanceLevelsByMonth"
	place     = "stnId stnName lat lon"
	counts    = " majCount modCount minCount nanCount percent_completeness"
)

// These products describe levels. Trends are in mm per year, heights in meters.
var (
	SeaLevelTrends = Product{
		ID: "sea-level-trends", Label: "Sea level trends", Page: "sltrends/",
		What: "sea level trends", Unit: "mm/year",
		Path: "product/sealvltrends.json", Query: "units=metric", // metric has more digits
		List: "SeaLvlTrends", Need: "trend",
		Columns: "stationId stationName affil annotation trendUnits seasonalUnits seasonalAverage" +
			" latitude longitude trendType autoregressive autoregressiveError trend trendError" +
			" y2000_offset startDate endDate monthlyMeans numberEvents events seasonalCycleMonth",
	}
	SeaLevelScenarios = Product{
		ID: "sea-level-scenarios", Label: "Sea level scenarios", Page: "sltrends/",
		What: "sea level scenarios", Unit: "m",
		Path: "product/slr_projections.json", Query: "units=metric",
		List: "SlrProjections", Need: "projectionRsl",
		Columns: "stationId stationName latitude longitude units psmslId scenario reportYear" +
			" projectionYear backgroundRslPerYear projectionRsl projectionCiLow projectionCiHigh distance",
	}
	ExtremeWaterLevels = Product{
		ID: "extreme-water-levels", Label: "Extreme water levels",
		Page: "est/est_station.shtml?stnid={station}", What: "extreme water levels", Unit: "m",
		Path: product, Query: "name=extremewaterlevels&units=metric",
		List: "ExtremeWaterLevels", Need: "tenYearEvents annuals epoch",
		Columns: extremes + documents,
	}
	ExceedanceLevels = Product{
		What: "exceedance levels", Unit: "m",
		Path: product, Query: "name=extremewaterlevels&details=exceedancelevels&units=metric",
		List:    ExtremeWaterLevels.List,
		Columns: extremes + " f1_gtmhhw f10_gtmhhw f50_gtmhhw f99_gtmhhw" + documents,
	}
	TopTenWaterLevels = Product{
		ID: "top-ten-water-levels", Label: "Highest observed water levels",
		Page: "waterlevels.html?id={station}", What: "top ten water levels", Unit: "m",
		Path: product, Query: "name=toptenwaterlevels&units=metric",
		List: "topTenWaterLevels", Need: "height",
		Columns: "stationId stationName peakDate height datum eventCategory event dataSource",
	}
	PeakWaterLevels = Product{
		What: "peak water events",
		Path: product, Query: "name=peakwaterlevels", List: "peakWaterLevels", Need: "startDate",
		Columns: "eventId startDate name eventType dissemination greatLake stormTrack",
	}
)

// These products describe high-tide flooding. Counts are in days.
var (
	FloodYears = flooding("annual", Product{
		What: "annual counts of flood days",
		Path: "htf/htf_annual.json", List: "AnnualFloodCount", Need: "minCount",
		Columns: place + " year" + counts,
	})
	FloodMonths = flooding("monthly", Product{
		What: "monthly counts of flood days",
		Path: "htf/htf_monthly.json", List: "MonthlyFloodCount", Need: "minCount",
		Columns: place + " year month" + counts,
	})
	FloodSeasons = flooding("seasonal", Product{
		What: "seasonal counts of flood days",
		Path: "htf/htf_seasonal.json", List: "SeasonalFloodCount", Need: "minCount",
		Columns: place + " year seasonMonths" + counts,
	})
	FloodDays = flooding("daily", Product{
		What: "flood days",
		Path: "htf/htf_daily.json", Query: "datum=STND&units=metric",
		List: "DailyFloodCount", Need: "minFlag",
		Columns: "day majFlag modFlag minFlag nanFlag maxWL maxTime",
	})
	FloodOutlook = flooding("outlook", Product{
		What: "flood outlook",
		Path: "htf/htf_met_year_annual_outlook.json",
		List: "MetYearAnnualOutlook", Need: "lowConf highConf",
		Columns: "stnId stnName metYear highConf lowConf projectDate projectMethod",
	})
	FloodProjections = flooding("projections", Product{
		What: "flood projections",
		Path: "htf/htf_projection_decadal.json",
		List: "DecadalProjection", Need: "decade minor moderate major",
		Columns: "decade low intLow intermediate intHigh high", // of a row within a severity
	})
	// FloodMetYears is served only by the simulator. The client does not request it.
	FloodMetYears = flooding("meteorological years", Product{
		Path: "htf/htf_met_year_annual.json", List: "MetYearAnnualFloodCount",
		Columns: place + " metYear" + counts,
	})
)

// Flooding lists the products of high-tide flooding by the name of the report.
var Flooding = map[string]Product{
	"annual": FloodYears, "monthly": FloodMonths, "seasonal": FloodSeasons, "daily": FloodDays,
	"outlook": FloodOutlook, "projections": FloodProjections,
}

// flooding sets the fields that all products of high-tide flooding share.
func flooding(report string, p Product) Product {
	p.ID, p.Page = "high-tide-flooding", "high-tide-flooding/"
	p.Label, p.Unit = "High tide flooding, "+report+" report", "days"
	return p
}
