package limit

// Surface is a front end. Each has its own rate limit.
type Surface uint8

// The surfaces. Those from Documents on are not the API: no account uses them.
const (
	REST Surface = iota
	MCP
	Documents // documents and pages, which do not count as API requests
	Calendars // calendars that programs subscribe to
	surfaces
)

// Name returns the name of the surface in metrics and responses.
func (s Surface) Name() string { return [...]string{"rest", "mcp", "documents", "calendars"}[s] }
