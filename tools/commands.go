package tools

import (
	"leadline/internal/operation"
)

// PlanningOperations returns the operations for planning that are not tools: over MCP, they are
// arguments of the prediction tools. The command line has them as commands.
func (s *Set) PlanningOperations() []operation.Tool {
	return []operation.Tool{
		operation.Declare("tide_windows", "Tide windows", operation.PlanningTools, "", false,
			s.Tides.TideWindows),
		operation.Declare("tide_ranks", "Tide ranks", operation.PlanningTools, "", false,
			s.Tides.TideRanks),
		operation.Declare("current_windows", "Current windows", operation.PlanningTools, "", false,
			s.Currents.CurrentWindows),
	}
}
