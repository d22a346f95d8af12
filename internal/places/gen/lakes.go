package main

// lakeGauge is a gauge on the Great Lakes or the Saint Lawrence. The embedded directory
// does not contain these gauges, because NOAA predicts no tides for them.
type lakeGauge struct {
	id                  string
	latitude, longitude float64 // degrees north and east
}

// lakeGauges were entered by hand from NOAA's list of stations that observe (metadata
// service, stations.json) of 2026-04-21, which is in the public domain.
var lakeGauges = []lakeGauge{
	{"8311030", 44.7028, -75.4944}, // Ogdensburg
	{"8311062", 44.3311, -75.9345}, // Alexandria Bay
	{"9014070", 42.6211, -82.5267}, // Algonac
	{"9014080", 42.8122, -82.4856}, // St. Clair State Police
	{"9014087", 42.9453, -82.4433}, // Dry Dock
	{"9014090", 42.9738, -82.4204}, // Mouth of the Black River
	{"9014098", 43.0069, -82.4225}, // Fort Gratiot
	{"9034052", 42.4732, -82.8792}, // St Clair Shores
	{"9044020", 42.0909, -83.1860}, // Gibraltar
	{"9044030", 42.2023, -83.1475}, // Wyandotte
	{"9044036", 42.2989, -83.0926}, // Fort Wayne
	{"9044049", 42.3578, -82.9300}, // Windmill Point
	{"9052000", 44.1303, -76.3322}, // Cape Vincent
	{"9052030", 43.4642, -76.5118}, // Oswego
	{"9052058", 43.2690, -77.6257}, // Rochester
	{"9052076", 43.3384, -78.7273}, // Olcott
	{"9063007", 43.0999, -79.0599}, // Ashland Ave
	{"9063009", 43.0811, -79.0614}, // American Falls
	{"9063012", 43.0769, -79.0140}, // Niagara Intake
	{"9063020", 42.8774, -78.8905}, // Buffalo
	{"9063028", 42.6913, -79.0473}, // Sturgeon Point
	{"9063038", 42.1539, -80.0758}, // Erie, Lake Erie
	{"9063053", 41.7597, -81.2811}, // Fairport
	{"9063063", 41.5409, -81.6355}, // Cleveland
	{"9063079", 41.5436, -82.7314}, // Marblehead
	{"9063085", 41.6936, -83.4723}, // Toledo
	{"9063090", 41.9600, -83.2567}, // Fermi Power Plant
	{"9075002", 43.1417, -82.4933}, // Lakeport
	{"9075014", 43.8464, -82.6431}, // Harbor Beach
	{"9075035", 43.6404, -83.8468}, // Essexville
	{"9075065", 45.0630, -83.4286}, // Alpena
	{"9075080", 45.7772, -84.7211}, // Mackinaw City
	{"9075099", 45.9925, -83.8982}, // De Tour Village
	{"9076024", 46.2648, -84.1912}, // Rock Cut
	{"9076027", 46.2847, -84.2098}, // West Neebish Island
	{"9076033", 46.4858, -84.3017}, // Little Rapids
	{"9076060", 46.5008, -84.3404}, // U.S. Slip
	{"9076070", 46.5011, -84.3726}, // S.W. Pier, St. Marys River
	{"9087023", 43.9474, -86.4415}, // Ludington
	{"9087031", 42.7733, -86.2128}, // Holland
	{"9087044", 41.7297, -87.5383}, // Calumet Harbor
	{"9087057", 43.0020, -87.8876}, // Milwaukee
	{"9087068", 44.4639, -87.5010}, // Kewaunee, Lake Michigan
	{"9087072", 44.7947, -87.3139}, // Sturgeon Bay Canal
	{"9087077", 44.5390, -88.0011}, // Green Bay East
	{"9087088", 45.0959, -87.5899}, // Menominee
	{"9087096", 45.9699, -85.8715}, // Port Inland
	{"9099004", 46.4844, -84.6308}, // Point Iroquois
	{"9099018", 46.5456, -87.3786}, // Marquette C.G.
	{"9099044", 46.8744, -89.3242}, // Ontonagon
	{"9099064", 46.7758, -92.0920}, // Duluth
	{"9099090", 47.7486, -90.3413}, // Grand Marais, Lake Superior
}
