module leadline

go 1.26.0

require (
	github.com/soniakeys/meeus/v3 v3.0.1
	github.com/soniakeys/sexagesimal v1.0.0 // indirect
	github.com/soniakeys/unit v1.0.0
)
