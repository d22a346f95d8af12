// Package prompts holds the prompt templates.
package prompts

// Argument is one argument of a prompt.
type Argument struct {
	Name, About string
	Required    bool
	Station     bool // completed from the station directory
}

// Prompt is a template that tells the model which tools to call and what to report.
type Prompt struct {
	Name, Title, About string
	Arguments          []Argument
	Render             func(args map[string]string) string // text of the user message; required arguments are present
}

// All returns the four prompts in their order.
func All() []Prompt { panic("stub") }
