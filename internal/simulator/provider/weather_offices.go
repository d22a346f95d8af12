package provider

// An office serves the part of the coast, or of the country, that is nearest
// to it. The table is near enough to the real one to speak its language:
// codes and places are real, outlines are not.
type office struct {
	id     string // three letters: cwa, and the location of its products
	grid   string // name of its grid, mostly id
	issuer string // four letters, in the header of its texts
	place  string // where its texts say it sits
	region string // what the title of its texts covers
	area   string // the paragraph below the title
	bureau string // heading of its WMO bulletins: FZUS56
	dialect
	zone                     string // IANA name
	land, landName           string // its forecast zone ashore
	county, fire             string
	radar                    string
	town                     town
	synopsis                 string  // zone of the synopsis, empty where it writes none
	latitude, longitude      float64 // of the cell x, y
	x, y                     int
	seaward                  float64 // where its swell comes from, degrees true
	blow                     float64 // knots added over its waters: some coast is always windy here
	observatory, observation string  // id and name of the station that observes
	waters                   []seaZone
}

// A town is what a point is said to be near.
type town struct {
	name, state         string
	latitude, longitude float64
}

// A seaZone is one marine zone with a spot that stands for it.
type seaZone struct {
	id, name            string
	latitude, longitude float64
	exposure
}

// exposure is how open to the wind and the sea a spot is.
type exposure int

const (
	ashore exposure = iota
	bay
	openSea
)

// offices are the coastal offices, those of the Great Lakes (without tide
// stations), and a few far from any coast.
var offices = []office{
	{id: "CAR", grid: "CAR", issuer: "KCAR", place: "Caribou ME", region: "Eastern Maine", area: "Coastal waters from Eastport to Stonington Maine out 25 NM", bureau: "FZUS51", dialect: eastern, zone: "America/New_York",
		land: "MEZ030", landName: "Coastal Washington", county: "MEC029", fire: "MEZ030", radar: "KCBW", town: town{"Eastport", "ME", 44.906, -66.990}, latitude: 44.9, longitude: -66.99, x: 150, y: 150, seaward: 150,
		observatory: "KBHB", observation: "Bar Harbor, Hancock County-Bar Harbor Airport", waters: []seaZone{
			{"ANZ050", "Coastal Waters from Eastport, ME to Schoodic Point, ME out 25 NM", 44.55, -67.2, openSea},
			{"ANZ051", "Coastal Waters from Schoodic Point, ME to Stonington, ME out 25 NM", 44.0, -68.1, openSea},
			{"ANZ052", "Intra Coastal Waters from Schoodic Point, ME to Stonington, ME", 44.28, -68.35, bay}}},
	{id: "GYX", grid: "GYX", issuer: "KGYX", place: "Gray ME", region: "Maine and New Hampshire", area: "Stonington Maine to Merrimack River Massachusetts out to 25 NM", bureau: "FZUS51", dialect: eastern, zone: "America/New_York",
		land: "MEZ024", landName: "Coastal Cumberland", county: "MEC005", fire: "MEZ024", radar: "KGYX", town: town{"Portland", "ME", 43.661, -70.255}, latitude: 43.66, longitude: -70.25, x: 150, y: 150, seaward: 130, blow: 20,
		observatory: "KPWM", observation: "Portland International Jetport", synopsis: "ANZ100", waters: []seaZone{
			{"ANZ150", "Waters from Stonington, ME to Port Clyde, ME out 25 NM", 43.75, -68.7, openSea},
			{"ANZ151", "Penobscot Bay", 44.2, -68.95, bay},
			{"ANZ152", "Waters from Port Clyde, ME to Cape Elizabeth, ME out 25 NM", 43.55, -69.6, openSea},
			{"ANZ153", "Casco Bay", 43.68, -70.12, bay},
			{"ANZ154", "Waters from Cape Elizabeth, ME to Merrimack River, MA out 25 NM", 43.15, -70.35, openSea}}},
	{id: "BOX", grid: "BOX", issuer: "KBOX", place: "Boston/Norton MA", region: "Massachusetts and Rhode Island", area: "Coastal waters from Merrimack River Massachusetts to Watch Hill\nRhode Island out to 25 NM", bureau: "FZUS51", dialect: eastern, zone: "America/New_York",
		land: "MAZ015", landName: "Suffolk", county: "MAC025", fire: "MAZ015", radar: "KBOX", town: town{"Boston", "MA", 42.332, -71.020}, latitude: 42.3548, longitude: -71.0534, x: 71, y: 90, seaward: 80, blow: 6,
		observatory: "KBOS", observation: "Boston, Logan International Airport", synopsis: "ANZ200", waters: []seaZone{
			{"ANZ230", "Boston Harbor", 42.33, -70.96, bay},
			{"ANZ231", "Cape Cod Bay", 41.9, -70.25, bay},
			{"ANZ232", "Nantucket Sound", 41.48, -70.2, bay},
			{"ANZ234", "Buzzards Bay", 41.57, -70.75, bay},
			{"ANZ236", "Narragansett Bay", 41.6, -71.36, bay},
			{"ANZ251", "Massachusetts Bay and Ipswich Bay", 42.5, -70.55, openSea},
			{"ANZ254", "Coastal waters extending out to 25 nm South of Marthas Vineyard and Nantucket", 41.0, -70.4, openSea}}},
	{id: "OKX", grid: "OKX", issuer: "KOKX", place: "New York NY", region: "New York", area: "Montauk Point New York to Sandy Hook New Jersey out 20 NM,\nincluding Long Island Sound, the Long Island Bays, and New York\nHarbor", bureau: "FZUS51", dialect: eastern, zone: "America/New_York",
		land: "NYZ072", landName: "New York (Manhattan)", county: "NYC061", fire: "NYZ212", radar: "KDIX", town: town{"Hoboken", "NJ", 40.745251, -74.027926}, latitude: 40.7128, longitude: -74.006, x: 33, y: 35, seaward: 160,
		observatory: "KNYC", observation: "New York City, Central Park", synopsis: "ANZ300", waters: []seaZone{
			{"ANZ335", "Long Island Sound West of New Haven CT/Port Jefferson NY", 41.05, -73.2, bay},
			{"ANZ338", "New York Harbor", 40.65, -74.05, bay},
			{"ANZ345", "South Shore Bays from Jones Inlet through Shinnecock Bay", 40.68, -73.1, bay},
			{"ANZ350", "Moriches Inlet NY to Montauk Point NY out 20 NM", 40.75, -72.2, openSea},
			{"ANZ353", "Fire Island Inlet NY to Moriches Inlet NY out 20 NM", 40.5, -73.0, openSea},
			{"ANZ355", "Sandy Hook NJ to Fire Island Inlet NY out 20 NM", 40.42, -73.6, openSea}}},
	{id: "PHI", grid: "PHI", issuer: "KPHI", place: "Mount Holly NJ", region: "New Jersey and Delaware", area: "Coastal waters from Sandy Hook New Jersey to Fenwick Island\nDelaware extending out to 20 nm, and Delaware Bay", bureau: "FZUS51", dialect: eastern, zone: "America/New_York",
		land: "NJZ025", landName: "Coastal Atlantic", county: "NJC001", fire: "NJZ025", radar: "KDIX", town: town{"Atlantic City", "NJ", 39.378, -74.453}, latitude: 39.36, longitude: -74.43, x: 150, y: 150, seaward: 120,
		observatory: "KACY", observation: "Atlantic City, Atlantic City International Airport", synopsis: "ANZ400", waters: []seaZone{
			{"ANZ430", "Delaware Bay waters north of East Point NJ to Slaughter Beach DE", 39.25, -75.2, bay},
			{"ANZ431", "Delaware Bay waters south of East Point NJ to Slaughter Beach DE", 38.95, -75.1, bay},
			{"ANZ450", "Coastal waters from Sandy Hook to Manasquan Inlet NJ out 20 nm", 40.2, -73.8, openSea},
			{"ANZ452", "Coastal waters from Little Egg Inlet to Great Egg Inlet NJ out 20 nm", 39.3, -74.2, openSea},
			{"ANZ454", "Coastal waters from Cape May NJ to Cape Henlopen DE out 20 nm", 38.75, -74.75, openSea}}},
	{id: "LWX", grid: "LWX", issuer: "KLWX", place: "Baltimore MD/Washington DC", region: "Maryland and Virginia", area: "Chesapeake Bay and Tidal Potomac", bureau: "FZUS51", dialect: eastern, zone: "America/New_York",
		land: "MDZ014", landName: "Anne Arundel", county: "MDC003", fire: "MDZ014", radar: "KLWX", town: town{"Annapolis", "MD", 38.971, -76.503}, latitude: 38.98, longitude: -76.49, x: 150, y: 150, seaward: 170,
		observatory: "KNAK", observation: "Annapolis, United States Naval Academy", synopsis: "ANZ500", waters: []seaZone{
			{"ANZ530", "Chesapeake Bay north of Pooles Island MD", 39.38, -76.1, bay},
			{"ANZ531", "Chesapeake Bay from Pooles Island to Sandy Point MD", 39.12, -76.35, bay},
			{"ANZ532", "Chesapeake Bay from Sandy Point to North Beach MD", 38.85, -76.42, bay},
			{"ANZ535", "Tidal Potomac from Key Bridge to Indian Head MD", 38.75, -77.04, bay}}},
	{id: "AKQ", grid: "AKQ", issuer: "KAKQ", place: "Wakefield VA", region: "Virginia and Northeast North Carolina", area: "Fenwick Island DE to Currituck Beach Light NC out to 20 nautical\nmiles, including the Virginia portion of the Chesapeake Bay", bureau: "FZUS51", dialect: eastern, zone: "America/New_York",
		land: "VAZ095", landName: "Norfolk/Portsmouth", county: "VAC710", fire: "VAZ095", radar: "KAKQ", town: town{"Norfolk", "VA", 36.923, -76.244}, latitude: 36.95, longitude: -76.33, x: 150, y: 150, seaward: 100,
		observatory: "KORF", observation: "Norfolk, Norfolk International Airport", synopsis: "ANZ600", waters: []seaZone{
			{"ANZ630", "Chesapeake Bay from Smith Point to Windmill Point VA", 37.75, -76.15, bay},
			{"ANZ634", "Chesapeake Bay from Little Creek VA to Cape Henry VA including the Chesapeake Bay Bridge Tunnel", 37.0, -76.1, bay},
			{"ANZ650", "Coastal waters from Fenwick Island DE to Chincoteague VA out 20 nm", 38.15, -74.85, openSea},
			{"ANZ656", "Coastal Waters from Cape Charles Light to Virginia-North Carolina border out to 20 nm", 36.8, -75.75, openSea}}},
	{id: "MHX", grid: "MHX", issuer: "KMHX", place: "Newport/Morehead City NC", region: "Eastern North Carolina", area: "South of Currituck Beach Light to Surf City NC out 20 nm,\nincluding the Sounds", bureau: "FZUS52", dialect: eastern, zone: "America/New_York",
		land: "NCZ195", landName: "Carteret", county: "NCC031", fire: "NCZ195", radar: "KMHX", town: town{"Morehead City", "NC", 34.729, -76.741}, latitude: 34.72, longitude: -76.7, x: 150, y: 150, seaward: 120,
		observatory: "KMRH", observation: "Beaufort, Michael J. Smith Field", synopsis: "AMZ100", waters: []seaZone{
			{"AMZ135", "Pamlico Sound", 35.35, -75.95, bay},
			{"AMZ150", "S of Currituck Beach Light to Oregon Inlet NC out to 20 nm", 36.05, -75.45, openSea},
			{"AMZ154", "S of Cape Hatteras to Ocracoke Inlet NC out to 20 nm", 35.0, -75.7, openSea},
			{"AMZ158", "S of Cape Lookout to Surf City NC out to 20 nm", 34.45, -76.9, openSea}}},
	{id: "ILM", grid: "ILM", issuer: "KILM", place: "Wilmington NC", region: "North and South Carolina", area: "Surf City NC to South Santee River SC out 20 nm", bureau: "FZUS52", dialect: eastern, zone: "America/New_York",
		land: "NCZ108", landName: "Coastal New Hanover", county: "NCC129", fire: "NCZ108", radar: "KLTX", town: town{"Wrightsville Beach", "NC", 34.216, -77.795}, latitude: 34.21, longitude: -77.8, x: 150, y: 150, seaward: 140,
		observatory: "KILM", observation: "Wilmington, Wilmington International Airport", synopsis: "AMZ200", waters: []seaZone{
			{"AMZ250", "Coastal waters from Surf City to Cape Fear NC out 20 nm", 34.1, -77.6, openSea},
			{"AMZ252", "Coastal waters from Cape Fear NC to Little River Inlet SC out 20 nm", 33.7, -78.3, openSea},
			{"AMZ254", "Coastal waters from Little River Inlet to Murrells Inlet SC out 20 nm", 33.5, -78.75, openSea}}},
	{id: "CHS", grid: "CHS", issuer: "KCHS", place: "Charleston SC", region: "South Carolina and Georgia", area: "South Santee River to Altamaha Sound out 60 nm", bureau: "FZUS52", dialect: eastern, zone: "America/New_York",
		land: "SCZ050", landName: "Charleston", county: "SCC019", fire: "SCZ050", radar: "KCLX", town: town{"Charleston", "SC", 32.818, -79.959}, latitude: 32.78, longitude: -79.92, x: 150, y: 150, seaward: 120,
		observatory: "KCHS", observation: "Charleston, Charleston Air Force Base", synopsis: "AMZ300", waters: []seaZone{
			{"AMZ330", "Charleston Harbor", 32.75, -79.9, bay},
			{"AMZ350", "Waters from South Santee River to Edisto Beach SC extending from 20 nm", 32.6, -79.65, openSea},
			{"AMZ352", "Waters from Edisto Beach SC to Savannah GA extending from 20 nm", 32.15, -80.4, openSea},
			{"AMZ354", "Waters from Savannah GA to Altamaha Sound GA extending from 20 nm", 31.65, -80.95, openSea}}},
	{id: "JAX", grid: "JAX", issuer: "KJAX", place: "Jacksonville FL", region: "Northeast Florida and Southeast Georgia", area: "Altamaha Sound GA to Flagler Beach FL out 60 NM", bureau: "FZUS52", dialect: gulf, zone: "America/New_York",
		land: "FLZ125", landName: "Coastal Duval", county: "FLC031", fire: "FLZ125", radar: "KJAX", town: town{"Atlantic Beach", "FL", 30.337, -81.412}, latitude: 30.39, longitude: -81.43, x: 150, y: 150, seaward: 90,
		observatory: "KNRB", observation: "Jacksonville, Naval Station Mayport", synopsis: "AMZ400", waters: []seaZone{
			{"AMZ450", "Coastal waters from Altamaha Sound to Fernandina Beach FL out 20 NM", 30.95, -81.2, openSea},
			{"AMZ452", "Coastal waters from Fernandina Beach to St. Augustine FL out 20 NM", 30.3, -81.2, openSea},
			{"AMZ454", "Coastal waters from St. Augustine to Flagler Beach FL out 20 NM", 29.7, -81.0, openSea}}},
	{id: "MLB", grid: "MLB", issuer: "KMLB", place: "Melbourne FL", region: "East Central Florida", area: "Flagler Beach to Jupiter Inlet FL out 60 NM", bureau: "FZUS52", dialect: gulf, zone: "America/New_York",
		land: "FLZ347", landName: "Coastal Brevard County", county: "FLC009", fire: "FLZ347", radar: "KMLB", town: town{"Cape Canaveral", "FL", 28.390, -80.605}, latitude: 28.41, longitude: -80.6, x: 150, y: 150, seaward: 90,
		observatory: "KMLB", observation: "Melbourne, Melbourne International Airport", synopsis: "AMZ500", waters: []seaZone{
			{"AMZ550", "Flagler Beach to Volusia-Brevard County Line 0-20 nm", 29.1, -80.75, openSea},
			{"AMZ552", "Volusia-Brevard County Line to Sebastian Inlet 0-20 nm", 28.35, -80.4, openSea},
			{"AMZ555", "Sebastian Inlet to Jupiter Inlet 0-20 nm", 27.4, -80.1, openSea}}},
	{id: "MFL", grid: "MFL", issuer: "KMFL", place: "Miami FL", region: "South Florida", area: "Jupiter Inlet to Ocean Reef out 60 nm, and the Gulf coast from\nEast Cape Sable to Bonita Beach", bureau: "FZUS52", dialect: gulf, zone: "America/New_York",
		land: "FLZ173", landName: "Coastal Miami-Dade County", county: "FLC086", fire: "FLZ173", radar: "KAMX", town: town{"Miami Beach", "FL", 25.818, -80.134}, latitude: 25.79, longitude: -80.13, x: 150, y: 150, seaward: 60,
		observatory: "KMIA", observation: "Miami, Miami International Airport", synopsis: "AMZ600", waters: []seaZone{
			{"AMZ630", "Biscayne Bay", 25.6, -80.2, bay},
			{"AMZ650", "Coastal waters from Jupiter Inlet to Deerfield Beach FL out 20 NM", 26.6, -79.9, openSea},
			{"AMZ651", "Coastal waters from Deerfield Beach to Ocean Reef FL out 20 NM", 25.85, -80.0, openSea},
			{"GMZ656", "Coastal waters from East Cape Sable to Chokoloskee FL out 20 NM", 25.5, -81.4, openSea}}},
	{id: "KEY", grid: "KEY", issuer: "KKEY", place: "Key West FL", region: "the Florida Keys", area: "Florida Bay, the Gulf and the Straits of Florida from Ocean Reef\nto Dry Tortugas out 60 NM", bureau: "FZUS52", dialect: gulf, zone: "America/New_York",
		land: "FLZ078", landName: "Monroe Lower Keys", county: "FLC087", fire: "FLZ078", radar: "KBYX", town: town{"Key West", "FL", 24.565, -81.776}, latitude: 24.55, longitude: -81.81, x: 150, y: 150, seaward: 150,
		observatory: "KEYW", observation: "Key West, Key West International Airport", synopsis: "GMZ005", waters: []seaZone{
			{"GMZ031", "Florida Bay including Barnes Sound, Blackwater Sound, and Buttonwood Sound", 24.95, -80.8, bay},
			{"GMZ044", "Hawk Channel from west end of Seven Mile Bridge to Halfmoon Shoal out to the reef", 24.5, -81.75, bay},
			{"GMZ054", "Straits of Florida from west end of Seven Mile Bridge to south of Halfmoon Shoal out 20 NM", 24.35, -81.6, openSea}}},
	{id: "TBW", grid: "TBW", issuer: "KTBW", place: "Tampa Bay Ruskin FL", region: "West Central and Southwest Florida", area: "Suwannee River to Bonita Beach out to 60 NM", bureau: "FZUS52", dialect: gulf, zone: "America/New_York",
		land: "FLZ050", landName: "Pinellas", county: "FLC103", fire: "FLZ050", radar: "KTBW", town: town{"St. Petersburg", "FL", 27.762, -82.644}, latitude: 27.76, longitude: -82.63, x: 150, y: 150, seaward: 260,
		observatory: "KSPG", observation: "St. Petersburg, Albert Whitted Airport", synopsis: "GMZ800", waters: []seaZone{
			{"GMZ830", "Tampa Bay waters", 27.72, -82.55, bay},
			{"GMZ836", "Charlotte Harbor and Pine Island Sound", 26.7, -82.1, bay},
			{"GMZ850", "Coastal waters from Tarpon Springs to Suwannee River FL out 20 NM", 28.7, -83.0, openSea},
			{"GMZ853", "Coastal waters from Englewood to Tarpon Springs FL out 20 NM", 27.5, -82.95, openSea},
			{"GMZ856", "Coastal waters from Bonita Beach to Englewood FL out 20 NM", 26.55, -82.35, openSea}}},
	{id: "TAE", grid: "TAE", issuer: "KTAE", place: "Tallahassee FL", region: "the Florida Big Bend and Eastern Panhandle", area: "Suwannee River to Okaloosa-Walton County line out 60 NM", bureau: "FZUS52", dialect: gulf, zone: "America/New_York",
		land: "FLZ115", landName: "Coastal Franklin", county: "FLC037", fire: "FLZ115", radar: "KTLH", town: town{"Apalachicola", "FL", 29.725, -84.993}, latitude: 29.73, longitude: -84.98, x: 150, y: 150, seaward: 190,
		observatory: "KAAF", observation: "Apalachicola, Cleve Randolph Field", synopsis: "GMZ700", waters: []seaZone{
			{"GMZ730", "Apalachee Bay or Coastal Waters From Keaton Beach to Ochlockonee River FL out to 20 nm", 29.9, -84.1, openSea},
			{"GMZ752", "Coastal waters from Okaloosa-Walton County Line to Mexico Beach out 20 NM", 30.05, -85.85, openSea},
			{"GMZ755", "Coastal Waters from Mexico Beach to Apalachicola FL out to 20 nm", 29.55, -85.35, openSea}}},
	{id: "MOB", grid: "MOB", issuer: "KMOB", place: "Mobile AL", region: "Alabama and Northwest Florida", area: "Pascagoula Mississippi to Okaloosa-Walton County line out 60 NM", bureau: "FZUS54", dialect: gulf, zone: "America/Chicago",
		land: "ALZ265", landName: "Mobile Coastal", county: "ALC097", fire: "ALZ265", radar: "KMOB", town: town{"Dauphin Island", "AL", 30.255, -88.110}, latitude: 30.25, longitude: -88.08, x: 150, y: 150, seaward: 170,
		observatory: "KBFM", observation: "Mobile, Mobile Downtown Airport", synopsis: "GMZ600", waters: []seaZone{
			{"GMZ630", "North Mobile Bay", 30.58, -88.0, bay},
			{"GMZ631", "South Mobile Bay", 30.35, -87.98, bay},
			{"GMZ650", "Coastal waters from Pensacola FL to Pascagoula MS out 20 NM", 30.1, -87.8, openSea},
			{"GMZ655", "Coastal waters from Okaloosa-Walton County Line to Pensacola FL out 20 NM", 30.25, -86.8, openSea}}},
	{id: "LIX", grid: "LIX", issuer: "KLIX", place: "New Orleans LA", region: "Southeast Louisiana and Mississippi", area: "Pascagoula Mississippi to Atchafalaya River Louisiana out 60 NM,\nincluding Lakes Pontchartrain and Maurepas", bureau: "FZUS54", dialect: gulf, zone: "America/Chicago",
		land: "LAZ089", landName: "Lower Jefferson", county: "LAC051", fire: "LAZ089", radar: "KHDC", town: town{"Grand Isle", "LA", 29.233, -89.994}, latitude: 29.26, longitude: -89.96, x: 150, y: 150, seaward: 170,
		observatory: "KNEW", observation: "New Orleans, Lakefront Airport", synopsis: "GMZ500", waters: []seaZone{
			{"GMZ530", "Lake Pontchartrain and Lake Maurepas", 30.2, -90.1, bay},
			{"GMZ550", "Coastal waters from Port Fourchon LA to Lower Atchafalaya River LA out 20 nm", 28.95, -90.8, openSea},
			{"GMZ552", "Coastal waters from the Southwest Pass of the Mississippi River to Port Fourchon Louisiana out 20 NM", 29.0, -89.85, openSea},
			{"GMZ557", "Coastal Waters from Pascagoula Mississippi to Stake Island out 20 NM", 30.0, -88.6, openSea}}},
	{id: "LCH", grid: "LCH", issuer: "KLCH", place: "Lake Charles LA", region: "Southwest Louisiana and Southeast Texas", area: "Coastal waters from High Island Texas to the Atchafalaya River\nLouisiana out 60 NM", bureau: "FZUS54", dialect: gulf, zone: "America/Chicago",
		land: "LAZ073", landName: "West Cameron", county: "LAC023", fire: "LAZ073", radar: "KLCH", town: town{"Cameron", "LA", 29.798, -93.325}, latitude: 29.77, longitude: -93.34, x: 150, y: 150, seaward: 175,
		observatory: "KLCH", observation: "Lake Charles, Lake Charles Regional Airport", synopsis: "GMZ400", waters: []seaZone{
			{"GMZ432", "Calcasieu Lake", 29.95, -93.3, bay},
			{"GMZ450", "Coastal waters from Cameron LA to High Island TX out 20 NM", 29.55, -93.8, openSea},
			{"GMZ452", "Coastal waters from Intracoastal City to Cameron LA out 20 NM", 29.4, -92.7, openSea}}},
	{id: "HGX", grid: "HGX", issuer: "KHGX", place: "Houston/Galveston TX", region: "the Upper Texas Coast", area: "High Island to Matagorda Ship Channel Texas out 60 NM, including\nGalveston and Matagorda Bays", bureau: "FZUS54", dialect: gulf, zone: "America/Chicago",
		land: "TXZ438", landName: "Galveston Island", county: "TXC167", fire: "TXZ438", radar: "KHGX", town: town{"Galveston", "TX", 29.301, -94.797}, latitude: 29.31, longitude: -94.79, x: 150, y: 150, seaward: 150,
		observatory: "KGLS", observation: "Galveston, Scholes International Airport", synopsis: "GMZ300", waters: []seaZone{
			{"GMZ330", "Matagorda Bay", 28.6, -96.3, bay},
			{"GMZ335", "Galveston Bay", 29.5, -94.85, bay},
			{"GMZ350", "Coastal waters from Matagorda Ship Channel to Freeport TX out 20 NM", 28.5, -95.7, openSea},
			{"GMZ355", "Coastal waters from Freeport to High Island TX out 20 NM", 29.1, -94.7, openSea}}},
	{id: "CRP", grid: "CRP", issuer: "KCRP", place: "Corpus Christi TX", region: "the Middle Texas Coast", area: "Baffin Bay to Matagorda Ship Channel out 60 NM", bureau: "FZUS54", dialect: gulf, zone: "America/Chicago",
		land: "TXZ443", landName: "Nueces Islands", county: "TXC355", fire: "TXZ443", radar: "KCRP", town: town{"Port Aransas", "TX", 27.828, -97.072}, latitude: 27.84, longitude: -97.05, x: 150, y: 150, seaward: 120,
		observatory: "KRAS", observation: "Port Aransas, Mustang Beach Airport", synopsis: "GMZ200", waters: []seaZone{
			{"GMZ231", "Bays and Waterways from Baffin Bay to Port Aransas", 27.75, -97.3, bay},
			{"GMZ250", "Coastal waters from Baffin Bay to Port Aransas out 20 NM", 27.45, -97.1, openSea},
			{"GMZ255", "Coastal waters from Port Aransas to Matagorda Ship Channel out 20 NM", 27.95, -96.7, openSea}}},
	{id: "BRO", grid: "BRO", issuer: "KBRO", place: "Brownsville TX", region: "the Lower Texas Coast", area: "Lower Texas coastal waters from Baffin Bay to the mouth of the\nRio Grande out 60 NM.\n\nSeas are provided as a range of the average height of the highest\n1/3 of the waves.", bureau: "FZUS54", dialect: gulf, zone: "America/Chicago",
		land: "TXZ455", landName: "Cameron Island", county: "TXC061", fire: "TXZ455", radar: "KBRO", town: town{"Port Isabel", "TX", 26.069, -97.220}, latitude: 26.06, longitude: -97.21, x: 150, y: 150, seaward: 90,
		observatory: "KPIL", observation: "Port Isabel, Port Isabel-Cameron County Airport", waters: []seaZone{
			{"GMZ130", "Laguna Madre from the Port of Brownsville to the Arroyo Colorado", 26.2, -97.26, bay},
			{"GMZ132", "Laguna Madre from the Arroyo Colorado To 5 NM north of Port Mansfield TX", 26.5, -97.38, bay},
			{"GMZ135", "Laguna Madre from 5 nm north of Port Mansfield to Baffin Bay TX", 26.95, -97.42, bay},
			{"GMZ150", "Coastal waters from Port Mansfield TX to the Rio Grande River out 20 NM", 26.2, -97.0, openSea},
			{"GMZ155", "Coastal waters from Baffin Bay to Port Mansfield TX out 20 NM", 26.95, -97.15, openSea}}},
	{id: "SGX", grid: "SGX", issuer: "KSGX", place: "San Diego CA", region: "California", area: "San Mateo Point to the Mexican border out 60 nm", bureau: "FZUS56", dialect: southwestern, zone: "America/Los_Angeles",
		land: "CAZ043", landName: "San Diego County Coastal Areas", county: "CAC073", fire: "CAZ243", radar: "KNKX", town: town{"San Diego", "CA", 32.815, -117.136}, latitude: 32.71, longitude: -117.17, x: 55, y: 60, seaward: 250,
		observatory: "KSAN", observation: "San Diego, San Diego International Airport", synopsis: "PZZ700", waters: []seaZone{
			{"PZZ740", "Coastal Waters from San Mateo Point to the Mexican Border and out to 10 nm", 32.8, -117.35, openSea},
			{"PZZ750", "Waters from San Mateo Point to the Mexican Border Extending 10 to 30 nm out", 32.75, -117.65, openSea},
			{"PZZ775", "Waters Extending 30 to 60 nm out from San Mateo Point to the Mexican Border", 32.6, -118.1, openSea}}},
	{id: "LOX", grid: "LOX", issuer: "KLOX", place: "Los Angeles/Oxnard CA", region: "Southern California", area: "Point Piedras Blancas to San Mateo Point out 60 NM", bureau: "FZUS56", dialect: western, zone: "America/Los_Angeles",
		land: "CAZ364", landName: "Los Angeles County Beaches", county: "CAC037", fire: "CAZ364", radar: "KVTX", town: town{"Santa Monica", "CA", 34.022, -118.481}, latitude: 34.01, longitude: -118.5, x: 150, y: 150, seaward: 260,
		observatory: "KSMO", observation: "Santa Monica, Santa Monica Municipal Airport", synopsis: "PZZ600", waters: []seaZone{
			{"PZZ645", "Waters from Piedras Blancas to Point Sal from 10 to 60 NM", 35.2, -120.95, openSea},
			{"PZZ650", "East Santa Barbara Channel from Pt. Conception to Pt. Mugu CA including Santa Cruz Island", 34.25, -119.6, openSea},
			{"PZZ655", "Inner waters from Point Mugu to San Mateo Pt. CA including Santa Catalina and Anacapa Islands", 33.7, -118.4, openSea}}},
	{id: "MTR", grid: "MTR", issuer: "KMTR", place: "San Francisco Bay Area", region: "California", area: "Central California Coast from Point Arena to Point Piedras\nBlancas out to 60 NM, including Monterey Bay, Greater Farallones,\nand Cordell Bank National Marine Sanctuaries", bureau: "FZUS56", dialect: western, zone: "America/Los_Angeles",
		land: "CAZ508", landName: "San Francisco Bay Shoreline", county: "CAC001", fire: "CAZ508", radar: "KMUX", town: town{"Piedmont", "CA", 37.822544, -122.230025}, latitude: 37.805, longitude: -122.273, x: 90, y: 105, seaward: 300,
		observatory: "KOAK", observation: "Oakland, Metro Oakland International Airport", synopsis: "PZZ500", waters: []seaZone{
			{"PZZ530", "San Pablo Bay, Suisun Bay, the West Delta and the San Francisco Bay north of the Bay Bridge", 37.85, -122.43, bay},
			{"PZZ531", "San Francisco Bay south of the Bay Bridge", 37.65, -122.25, bay},
			{"PZZ535", "Monterey Bay", 36.8, -121.95, openSea},
			{"PZZ540", "Waters from Point Arena to Point Reyes out 10 nm", 38.35, -123.3, openSea},
			{"PZZ545", "Waters from Pigeon Point to Point Reyes", 37.6, -122.8, openSea},
			{"PZZ565", "Waters from Pigeon Point to Point Pinos out 10 NM", 36.95, -122.3, openSea}}},
	{id: "EKA", grid: "EKA", issuer: "KEKA", place: "Eureka CA", region: "Northwest California", area: "Point St. George to Point Arena out 60 nm", bureau: "FZUS56", dialect: western, zone: "America/Los_Angeles",
		land: "CAZ103", landName: "Northern Humboldt Coast", county: "CAC023", fire: "CAZ203", radar: "KBHX", town: town{"Eureka", "CA", 40.790, -124.163}, latitude: 40.77, longitude: -124.22, x: 150, y: 150, seaward: 300,
		observatory: "KACV", observation: "Arcata, Arcata Airport", synopsis: "PZZ400", waters: []seaZone{
			{"PZZ410", "Humboldt Bay Bar", 40.76, -124.25, bay},
			{"PZZ450", "Coastal waters from Pt. St. George to Cape Mendocino CA out 10 nm", 41.1, -124.3, openSea},
			{"PZZ455", "Coastal waters from Cape Mendocino to Pt. Arena CA out 10 nm", 39.6, -123.95, openSea}}},
	{id: "MFR", grid: "MFR", issuer: "KMFR", place: "Medford OR", region: "Southern Oregon", area: "Florence OR to Pt. St. George CA out 60 nm", bureau: "FZUS56", dialect: western, zone: "America/Los_Angeles",
		land: "ORZ021", landName: "South Central Oregon Coast", county: "ORC011", fire: "ORZ615", radar: "KMAX", town: town{"Coos Bay", "OR", 43.377, -124.237}, latitude: 43.35, longitude: -124.34, x: 150, y: 150, seaward: 290,
		observatory: "KOTH", observation: "North Bend, Southwest Oregon Regional Airport", synopsis: "PZZ300", waters: []seaZone{
			{"PZZ350", "Coastal waters from Florence to Cape Blanco OR out 10 nm", 43.35, -124.5, openSea},
			{"PZZ356", "Coastal waters from Cape Blanco OR to Pt. St. George CA out 10 nm", 42.3, -124.55, openSea}}},
	{id: "PQR", grid: "PQR", issuer: "KPQR", place: "Portland OR", region: "Northern Oregon and Southern Washington", area: "Cape Shoalwater WA to Florence OR out 60 nm", bureau: "FZUS56", dialect: western, zone: "America/Los_Angeles",
		land: "ORZ101", landName: "Clatsop County Coast", county: "ORC007", fire: "ORZ601", radar: "KRTX", town: town{"Warrenton", "OR", 46.167, -123.923}, latitude: 46.2, longitude: -124.1, x: 74, y: 145, seaward: 280,
		observatory: "KAST", observation: "Astoria, Astoria Regional Airport", synopsis: "PZZ200", waters: []seaZone{
			{"PZZ210", "Columbia River Bar", 46.25, -124.02, bay},
			{"PZZ251", "Coastal waters from Cape Shoalwater WA to Cape Falcon OR out 10 NM", 46.18, -124.15, openSea},
			{"PZZ252", "Coastal waters from Cape Falcon OR to Cape Foulweather OR out 10 NM", 45.3, -124.15, openSea},
			{"PZZ253", "Coastal waters from Cape Foulweather OR to Florence OR out 10 NM", 44.4, -124.3, openSea}}},
	{id: "SEW", grid: "SEW", issuer: "KSEW", place: "Seattle WA", region: "Western Washington", area: "Washington coastal and inland waters out 60 NM", bureau: "FZUS56", dialect: western, zone: "America/Los_Angeles",
		land: "WAZ315", landName: "City of Seattle", county: "WAC033", fire: "WAZ654", radar: "KATX", town: town{"Seattle", "WA", 47.621, -122.351}, latitude: 47.6026, longitude: -122.3393, x: 124, y: 67, seaward: 270,
		observatory: "KBFI", observation: "Seattle, Seattle Boeing Field", synopsis: "PZZ100", waters: []seaZone{
			{"PZZ110", "Grays Harbor Bar", 46.92, -124.12, bay},
			{"PZZ130", "West Entrance U.S. Waters Strait Of Juan De Fuca", 48.3, -124.5, bay},
			{"PZZ132", "East Entrance U.S. Waters Strait Of Juan De Fuca", 48.25, -123.0, bay},
			{"PZZ133", "Northern Inland Waters Including The San Juan Islands", 48.6, -122.8, bay},
			{"PZZ135", "Puget Sound and Hood Canal", 47.6, -122.45, bay},
			{"PZZ150", "Coastal Waters From Cape Flattery To James Island Out 10 Nm", 48.15, -124.85, openSea},
			{"PZZ156", "Coastal Waters From Point Grenville To Cape Shoalwater Out 10 Nm", 47.0, -124.3, openSea}}},
	{id: "AJK", grid: "AJK", issuer: "PAJK", place: "Juneau AK", region: "Southeast Alaska", area: "Inside waters from Dixon Entrance to Skagway", bureau: "FZAK51", dialect: alaskan, zone: "America/Juneau",
		land: "AKZ325", landName: "City and Borough of Juneau", county: "AKC110", fire: "AKZ325", radar: "PACG", town: town{"Juneau", "AK", 58.388, -134.134}, latitude: 58.3, longitude: -134.41, x: 150, y: 150, seaward: 200,
		observatory: "PAJN", observation: "Juneau, Juneau International Airport", waters: []seaZone{
			{"PKZ012", "Northern Lynn Canal", 59.0, -135.15, bay},
			{"PKZ013", "Southern Lynn Canal", 58.55, -135.0, bay},
			{"PKZ031", "Stephens Passage", 58.15, -134.4, bay},
			{"PKZ036", "Clarence Strait", 55.8, -132.2, bay},
			{"PKZ643", "Southeast Alaska Outside Waters from Cape Edgecumbe to Cape Spencer out to 15 NM", 57.7, -136.7, openSea}}},
	{id: "AFC", grid: "AER", issuer: "PAFC", place: "Anchorage AK", region: "the Northern Gulf of Alaska Coast", area: "Wind forecasts reflect the predominant speed and direction\nexpected. Sea forecasts represent the average of the highest one-\nthird of the combined windwave and swell height.", bureau: "FZAK51", dialect: alaskan, zone: "America/Anchorage",
		land: "AKZ701", landName: "Anchorage", county: "AKC020", fire: "AKZ701", radar: "PAHG", town: town{"Point MacKenzie", "AK", 61.355597, -150.16935}, latitude: 61.2181, longitude: -149.9003, x: 143, y: 236, seaward: 200,
		observatory: "PAMR", observation: "Anchorage, Merrill Field Airport", waters: []seaZone{
			{"PKZ715", "Prince William Sound", 60.6, -147.0, bay},
			{"PKZ730", "Cook Inlet South of Kalgin Island", 59.9, -152.2, bay},
			{"PKZ740", "Cook Inlet North of Kalgin Island", 61.1, -150.5, bay},
			{"PKZ751", "Shuyak Island to Sitkinak out to 15 NM", 57.2, -151.8, openSea},
			{"PKZ776", "North Pacific Coastal Waters from Dutch Harbor out to 15 NM", 53.95, -166.3, openSea}}},
	{id: "HFO", grid: "HFO", issuer: "PHFO", place: "Honolulu HI", region: "Hawaii", area: "Hawaiian coastal waters within 40 nautical miles", bureau: "FZHW50", dialect: western, zone: "Pacific/Honolulu",
		land: "HIZ007", landName: "Honolulu Metro", county: "HIC003", fire: "HIZ007", radar: "PHMO", town: town{"Honolulu", "HI", 21.325, -157.845}, latitude: 21.3158, longitude: -157.8644, x: 154, y: 145, seaward: 320,
		observatory: "PHNL", observation: "Honolulu, Honolulu International Airport", synopsis: "PHZ100", waters: []seaZone{
			{"PHZ110", "Kauai Northwest Waters", 22.3, -159.75, openSea},
			{"PHZ114", "Oahu Windward Waters", 21.55, -157.7, openSea},
			{"PHZ115", "Oahu Leeward Waters", 21.2, -157.95, openSea},
			{"PHZ118", "Maui County Leeward Waters", 20.7, -156.75, openSea},
			{"PHZ123", "Big Island Leeward Waters", 19.6, -156.2, openSea},
			{"PHZ122", "Big Island Windward Waters", 19.85, -154.85, openSea}}},
	{id: "GUM", grid: "GUM", issuer: "PGUM", place: "Tiyan GU", region: "the Marianas", area: "Coastal waters of Guam, Rota, Tinian and Saipan", bureau: "FZMY50", dialect: western, zone: "Pacific/Guam",
		land: "GUZ001", landName: "Guam", county: "GUC010", fire: "GUZ001", radar: "PGUA", town: town{"Tamuning", "GU", 13.486, 144.782}, latitude: 13.444, longitude: 144.778, x: 47, y: 48, seaward: 80,
		observatory: "PGUM", observation: "Guam, Guam International Airport", waters: []seaZone{
			{"PMZ151", "Guam Coastal Waters", 13.4, 144.9, openSea},
			{"PMZ152", "Rota Coastal Waters", 14.15, 145.3, openSea},
			{"PMZ154", "Saipan Coastal Waters", 15.2, 145.85, openSea}}},
	{id: "PPG", grid: "PPG", issuer: "NSTU", place: "Pago Pago AS", region: "American Samoa", area: "Coastal waters out 40 nautical miles", bureau: "FZZS50", dialect: western, zone: "Pacific/Pago_Pago",
		land: "ASZ001", landName: "Tutuila and Aunuu", county: "ASC050", fire: "ASZ001", town: town{"Pago Pago", "AS", -14.276, -170.703}, latitude: -14.28, longitude: -170.69, x: 150, y: 150, seaward: 120,
		observatory: "NSTU", observation: "Pago Pago, Pago Pago International Airport", waters: []seaZone{
			{"PSZ150", "Coastal waters of Tutuila and Aunuu out 40 NM", -14.4, -170.7, openSea},
			{"PSZ151", "Coastal waters of Manua out 40 NM", -14.25, -169.5, openSea}}},
	{id: "SJU", grid: "SJU", issuer: "TJSJ", place: "San Juan PR", region: "Puerto Rico and the U.S. Virgin Islands", area: "Atlantic and Caribbean waters of Puerto Rico and the U.S. Virgin\nIslands", bureau: "FZCA52", dialect: gulf, zone: "America/Puerto_Rico",
		land: "PRZ001", landName: "San Juan and Vicinity", county: "PRC127", fire: "PRZ001", radar: "TJUA", town: town{"San Juan", "PR", 18.406, -66.064}, latitude: 18.46, longitude: -66.11, x: 150, y: 150, seaward: 40,
		observatory: "TJSJ", observation: "San Juan, Luis Munoz Marin International Airport", waters: []seaZone{
			{"AMZ712", "Coastal Waters of Northern Puerto Rico out 10 NM", 18.55, -66.2, openSea},
			{"AMZ716", "Coastal Waters of Northern USVI and Culebra out 10 NM", 18.42, -65.0, openSea},
			{"AMZ733", "Coastal Waters of Southern USVI, Vieques, and Southern Puerto Rico out 10 NM", 17.85, -65.8, openSea},
			{"AMZ742", "Mona Passage Southward to 17N", 18.3, -67.5, openSea}}},

	{id: "BUF", grid: "BUF", issuer: "KBUF", place: "Buffalo NY", region: "Lakes Erie and Ontario", area: "Nearshore waters of New York", bureau: "FZUS51", dialect: lakes, zone: "America/New_York",
		land: "NYZ010", landName: "Northern Erie", county: "NYC029", fire: "NYZ010", radar: "KBUF", town: town{"Buffalo", "NY", 42.893, -78.860}, latitude: 42.88, longitude: -78.88, x: 150, y: 150, seaward: 250,
		observatory: "KBUF", observation: "Buffalo, Greater Buffalo International Airport", waters: []seaZone{
			{"LEZ041", "Dunkirk to Buffalo extending from the lakeshore to 5 NM", 42.72, -79.15, bay},
			{"LOZ043", "Hamlin Beach to Sodus Bay extending from the lakeshore to 5 NM", 43.33, -77.5, bay},
			{"LEZ061", "Lake Erie from Ripley to Buffalo from 5 NM off shore to the Canadian border", 42.6, -79.5, openSea}}},
	{id: "CLE", grid: "CLE", issuer: "KCLE", place: "Cleveland OH", region: "Lake Erie", area: "Nearshore waters of Ohio and Pennsylvania", bureau: "FZUS51", dialect: lakes, zone: "America/New_York",
		land: "OHZ011", landName: "Cuyahoga", county: "OHC035", fire: "OHZ011", radar: "KCLE", town: town{"Cleveland", "OH", 41.479, -81.680}, latitude: 41.51, longitude: -81.69, x: 150, y: 150, seaward: 300,
		observatory: "KBKL", observation: "Cleveland, Burke Lakefront Airport", waters: []seaZone{
			{"LEZ144", "The Islands to Vermilion OH", 41.5, -82.6, bay},
			{"LEZ146", "Avon Point to Willowick OH", 41.58, -81.75, bay},
			{"LEZ166", "Lake Erie open waters from Avon Point to Willowick OH beyond 5 NM", 41.8, -81.85, openSea}}},
	{id: "DTX", grid: "DTX", issuer: "KDTX", place: "Detroit/Pontiac MI", region: "Lakes Huron and St. Clair", area: "Nearshore waters of Southeast Michigan", bureau: "FZUS53", dialect: lakes, zone: "America/Detroit",
		land: "MIZ076", landName: "Wayne", county: "MIC163", fire: "MIZ076", radar: "KDTX", town: town{"Detroit", "MI", 42.383, -83.102}, latitude: 42.33, longitude: -83.04, x: 150, y: 150, seaward: 20,
		observatory: "KDET", observation: "Detroit, Detroit City Airport", waters: []seaZone{
			{"LCZ460", "Lake St. Clair", 42.5, -82.75, bay},
			{"LHZ443", "Port Sanilac to Port Huron MI", 43.2, -82.4, bay},
			{"LHZ463", "Lake Huron from Port Sanilac to Port Huron 5 NM off shore to US/Canadian border", 43.4, -82.25, openSea}}},
	{id: "APX", grid: "APX", issuer: "KAPX", place: "Gaylord MI", region: "Lakes Michigan and Huron", area: "Nearshore waters of Northern Michigan", bureau: "FZUS53", dialect: lakes, zone: "America/Detroit",
		land: "MIZ024", landName: "Alpena", county: "MIC007", fire: "MIZ024", radar: "KAPX", town: town{"Alpena", "MI", 45.064, -83.440}, latitude: 45.06, longitude: -83.43, x: 150, y: 150, seaward: 90,
		observatory: "KAPN", observation: "Alpena, Alpena County Regional Airport", waters: []seaZone{
			{"LHZ348", "Presque Isle Light to Sturgeon Point MI including Thunder Bay National Marine Sanctuary", 45.1, -83.2, bay},
			{"LMZ342", "Norwood MI to 5 NM West of Mackinac Bridge including Little Traverse Bay", 45.45, -85.15, bay},
			{"LHZ362", "Lake Huron from Presque Isle Light to Sturgeon Point MI 5 NM off shore to US/Canadian border", 45.0, -82.85, openSea}}},
	{id: "MQT", grid: "MQT", issuer: "KMQT", place: "Marquette MI", region: "Lake Superior", area: "Nearshore waters of Upper Michigan", bureau: "FZUS53", dialect: lakes, zone: "America/Detroit",
		land: "MIZ005", landName: "Marquette", county: "MIC103", fire: "MIZ005", radar: "KMQT", town: town{"Marquette", "MI", 46.546, -87.407}, latitude: 46.54, longitude: -87.39, x: 150, y: 150, seaward: 340,
		observatory: "KSAW", observation: "Gwinn, Sawyer International Airport", waters: []seaZone{
			{"LSZ249", "Marquette to Munising MI", 46.52, -87.15, bay},
			{"LSZ266", "Lake Superior East of a line from Manitou Island to Marquette MI beyond 5 NM", 46.9, -87.0, openSea}}},
	{id: "GRB", grid: "GRB", issuer: "KGRB", place: "Green Bay WI", region: "Lake Michigan", area: "Nearshore waters of Northeast Wisconsin", bureau: "FZUS53", dialect: lakes, zone: "America/Chicago",
		land: "WIZ039", landName: "Brown", county: "WIC009", fire: "WIZ039", radar: "KGRB", town: town{"Green Bay", "WI", 44.521, -87.989}, latitude: 44.54, longitude: -88.0, x: 150, y: 150, seaward: 100,
		observatory: "KGRB", observation: "Green Bay, Austin Straubel International Airport", waters: []seaZone{
			{"LMZ522", "Green Bay South of line from Cedar River to Rock Island Passage and North of a line from Oconto WI to Little Sturgeon Bay WI", 44.85, -87.65, bay},
			{"LMZ543", "Sturgeon Bay to Two Rivers WI", 44.45, -87.42, bay},
			{"LMZ563", "Lake Michigan from Sturgeon Bay to Two Rivers WI beyond 5 NM", 44.4, -87.1, openSea}}},
	{id: "MKX", grid: "MKX", issuer: "KMKX", place: "Milwaukee/Sullivan WI", region: "Lake Michigan", area: "Nearshore waters of Southeast Wisconsin", bureau: "FZUS53", dialect: lakes, zone: "America/Chicago",
		land: "WIZ066", landName: "Milwaukee", county: "WIC079", fire: "WIZ066", radar: "KMKX", town: town{"Milwaukee", "WI", 43.063, -87.967}, latitude: 43.04, longitude: -87.9, x: 150, y: 150, seaward: 70,
		observatory: "KMKE", observation: "Milwaukee, General Mitchell International Airport", waters: []seaZone{
			{"LMZ644", "Port Washington to North Point Light WI", 43.2, -87.82, bay},
			{"LMZ645", "North Point Light to Wind Point WI", 42.9, -87.77, bay},
			{"LMZ669", "Lake Michigan from North Point Light to Wind Point WI beyond 5 NM", 42.95, -87.45, openSea}}},
	{id: "LOT", grid: "LOT", issuer: "KLOT", place: "Chicago IL", region: "Lake Michigan", area: "Nearshore waters of Illinois and Northwest Indiana", bureau: "FZUS53", dialect: lakes, zone: "America/Chicago",
		land: "ILZ104", landName: "Central Cook", county: "ILC031", fire: "ILZ104", radar: "KLOT", town: town{"Chicago", "IL", 41.838, -87.685}, latitude: 41.88, longitude: -87.63, x: 76, y: 73, seaward: 30,
		observatory: "KMDW", observation: "Chicago, Chicago Midway Airport", waters: []seaZone{
			{"LMZ741", "Wilmette Harbor to Northerly Island IL", 41.98, -87.55, bay},
			{"LMZ742", "Northerly Island to Calumet Harbor IL", 41.8, -87.5, bay},
			{"LMZ779", "Lake Michigan from Wilmette Harbor to Michigan City in 5 NM offshore to mid lake", 42.0, -87.2, openSea}}},
	{id: "IWX", grid: "IWX", issuer: "KIWX", place: "Northern Indiana", region: "Lake Michigan", area: "Nearshore waters of Indiana and Southwest Michigan", bureau: "FZUS53", dialect: lakes, zone: "America/Chicago",
		land: "INZ103", landName: "Northern La Porte", county: "INC091", fire: "INZ103", radar: "KIWX", town: town{"Michigan City", "IN", 41.709, -86.877}, latitude: 41.72, longitude: -86.9, x: 60, y: 120, seaward: 330,
		observatory: "KMGC", observation: "Michigan City, Michigan City Municipal Airport", waters: []seaZone{
			{"LMZ046", "Michigan City IN to New Buffalo MI", 41.8, -86.88, bay},
			{"LMZ080", "Michigan City IN to New Buffalo MI 5 NM offshore to mid-lake", 41.95, -86.9, openSea}}},
	{id: "GRR", grid: "GRR", issuer: "KGRR", place: "Grand Rapids MI", region: "Lake Michigan", area: "Nearshore waters of Southwest Lower Michigan", bureau: "FZUS53", dialect: lakes, zone: "America/Detroit",
		land: "MIZ056", landName: "Muskegon", county: "MIC121", fire: "MIZ056", radar: "KGRR", town: town{"Muskegon", "MI", 43.228, -86.257}, latitude: 43.23, longitude: -86.25, x: 60, y: 120, seaward: 270,
		observatory: "KMKG", observation: "Muskegon, Muskegon County Airport", waters: []seaZone{
			{"LMZ846", "Holland to Grand Haven MI", 42.95, -86.3, bay},
			{"LMZ847", "Grand Haven to Whitehall MI", 43.2, -86.42, bay},
			{"LMZ872", "Lake Michigan from Grand Haven to Whitehall MI 5 NM offshore to mid-lake", 43.2, -86.75, openSea}}},
	{id: "DLH", grid: "DLH", issuer: "KDLH", place: "Duluth MN", region: "Lake Superior", area: "Nearshore waters of Minnesota and Northwest Wisconsin", bureau: "FZUS53", dialect: lakes, zone: "America/Chicago",
		land: "MNZ037", landName: "Carlton and South St. Louis", county: "MNC137", fire: "MNZ037", radar: "KDLH", town: town{"Duluth", "MN", 46.776, -92.118}, latitude: 46.79, longitude: -92.1, x: 90, y: 90, seaward: 60,
		observatory: "KDLH", observation: "Duluth, Duluth International Airport", waters: []seaZone{
			{"LSZ144", "Two Harbors to Duluth MN", 46.9, -91.8, bay},
			{"LSZ145", "Duluth MN to Port Wing WI", 46.78, -91.8, bay},
			{"LSZ162", "Lake Superior west of a line from Saxon Harbor WI to Grand Portage MN beyond 5 NM", 47.3, -90.8, openSea}}},

	inland("BOU", "KBOU", "Denver CO", "America/Denver", "COZ040", "CO", "Denver", 39.739, -104.985),
	inland("LZK", "KLZK", "Little Rock AR", "America/Chicago", "ARZ044", "AR", "Little Rock", 34.749, -92.275),
	inland("FGZ", "KFGZ", "Flagstaff AZ", "America/Phoenix", "AZZ015", "AZ", "Flagstaff", 35.198, -111.651),
	inland("BMX", "KBMX", "Birmingham AL", "America/Chicago", "ALZ024", "AL", "Birmingham", 33.521, -86.812),
	inland("FWD", "KFWD", "Fort Worth TX", "America/Chicago", "TXZ119", "TX", "Dallas", 32.778, -96.796),
	inland("OAX", "KOAX", "Omaha/Valley NE", "America/Chicago", "NEZ052", "NE", "Omaha", 41.258, -95.938),
	inland("MPX", "KMPX", "Twin Cities/Chanhassen MN", "America/Chicago", "MNZ060", "MN", "Minneapolis", 44.963, -93.268),
	inland("ALY", "KALY", "Albany NY", "America/New_York", "NYZ052", "NY", "Albany", 42.652, -73.757),
	inland("BOI", "KBOI", "Boise ID", "America/Boise", "IDZ012", "ID", "Boise", 43.615, -116.202),
	inland("AFG", "PAFG", "Fairbanks AK", "America/Anchorage", "AKZ844", "AK", "Fairbanks", 64.837, -147.739),
}

// The centres that write for the high seas of two oceans. They have no grid.
var centres = []office{
	{id: "NH2", issuer: "KNHC", place: "Tropical Analysis and Forecast Branch Miami FL", region: "the Gulf, the Caribbean and the Atlantic", area: "Seas given as significant wave height, which is the average height\nof the highest 1/3 of the waves.", bureau: "FZNT24", dialect: gulf, zone: "America/New_York", seaward: 100, synopsis: "GMZ001", waters: []seaZone{
		{"GMZ040", "NW Gulf including Stetson Bank", 28.0, -94.5, openSea},
		{"GMZ056", "N Central Gulf Offshore Waters", 28.0, -90.0, openSea},
		{"GMZ070", "Middle Gulf from 22N to 26N", 24.5, -88.0, openSea},
		{"AMZ117", "Atlantic S of 31N W of 70W", 28.5, -77.0, openSea},
		{"AMZ040", "Caribbean N of 15N between 64W and 72W", 16.5, -67.0, openSea},
		{"ANZ825", "Atlantic from Cape Hatteras to Georges Bank", 38.5, -71.0, openSea}}},
	{id: "ONP", issuer: "KWNM", place: "Ocean Prediction Center Washington DC", region: "the Eastern Pacific", area: "Seas given as significant wave height, which is the average height\nof the highest 1/3 of the waves.", bureau: "FZPN26", dialect: western, zone: "America/Los_Angeles", seaward: 290, synopsis: "PZZ898", waters: []seaZone{
		{"PZZ810", "Point St. George to Point Arena between 60 NM and 150 NM offshore", 40.2, -126.0, openSea},
		{"PZZ825", "Cape Flattery to Cape Shoalwater between 60 NM and 150 NM offshore", 47.3, -126.5, openSea},
		{"PZZ840", "Santa Cruz Island CA to 120 NM", 32.5, -120.0, openSea},
		{"PHZ180", "Hawaiian Offshore Waters", 21.0, -159.0, openSea},
		{"PKZ350", "Gulf of Alaska Offshore Waters", 57.5, -146.0, openSea}}},
}

func inland(id, issuer, place, zone, land, state, name string, latitude, longitude float64) office {
	return office{
		id: id, grid: id, issuer: issuer, place: place, zone: zone,
		land: land, landName: name, county: state + "C001", fire: land, radar: issuer,
		town:     town{name, state, latitude, longitude},
		latitude: latitude, longitude: longitude, x: 200, y: 200,
		observatory: issuer, observation: name,
	}
}

// ocean reports whether the office writes for salt water.
func (o *office) ocean() bool { return len(o.waters) > 0 && o.dialect != lakes && o.grid != "" }

// lake reports whether it writes for the Great Lakes.
func (o *office) lake() bool { return o.dialect == lakes }

// officeOf finds an office by its id or by the name of its grid.
func officeOf(id string) *office {
	for _, table := range [][]office{offices, centres} {
		for i := range table {
			if o := &table[i]; o.id == id || o.grid != "" && o.grid == id {
				return o
			}
		}
	}
	return nil
}
