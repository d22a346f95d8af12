package oauth

// Prefixes of secrets, by which people and scanners recognize them.
const (
	refreshPrefix = "ldr_"
	codePrefix    = "ldc_"
	secretPrefix  = "lds_" // of clients
	ticketPrefix  = "ldt_"
)
