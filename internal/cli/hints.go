package cli

import (
	"errors"
	"fmt"
	"strings"

	"leadline/internal/coast"
)

// commandOf maps the operations that errors hint at to their commands, with arguments in braces. An
// operation without a command needs a server.
var commandOf = map[coast.Operation]string{
	coast.SearchStations:          "leadline search {query}",
	coast.GetPredictions:          "leadline predict {station}",
	coast.GetCurrentPredictions:   "leadline predict {station}",
	coast.GetWaterLevels:          "",
	coast.GetConditions:           "",
	coast.GetMarineForecast:       "",
	coast.GetHarmonicConstituents: "",
	coast.ListWebhooks:            "leadline webhooks list --account EMAIL",
	coast.UpdateWebhook:           "leadline webhooks enable {id} --account EMAIL",
	coast.DeleteWebhook:           "leadline webhooks remove ID --account EMAIL",
	coast.ListDeliveries:          "leadline webhooks deliveries {id} --account EMAIL",
	coast.ListEvents:              "leadline events list --account EMAIL",
	coast.ListWatches:             "leadline watches list --account EMAIL",
}

// explain returns the text of an error with its hints.
func explain(err error) string {
	text := err.Error()
	var e *coast.Error
	if errors.As(err, &e) {
		for _, h := range e.Hints() {
			text += " " + hintOf(h)
		}
	}
	return text
}

// hintOf returns the sentence of a hint, with a command.
func hintOf(h coast.Hint) string {
	command := commandOf[h.Operation]
	if command == "" {
		return h.Do + " from a server: leadline serve starts one."
	}
	for _, a := range h.Arguments {
		value := fmt.Sprint(a.Value)
		if strings.ContainsAny(value, ` "`) {
			value = fmt.Sprintf("%q", value)
		}
		command = strings.ReplaceAll(command, "{"+a.Name+"}", value)
	}
	return h.Do + " with " + command + "."
}
