package cli

import (
	"github.com/spf13/cobra"

	"leadline/internal/server"
)

// openapiCommand returns leadline openapi.
func (p *program) openapiCommand() *cobra.Command {
	return &cobra.Command{
		Use: "openapi [contract|developer|planning]", Short: "Print an OpenAPI document",
		Long: "Print an OpenAPI document as JSON, without a server and without a data folder: of the " +
			"versioned contract, which is the default, of the routes for developers with the events " +
			"that webhooks receive, or of the routes for planning. The address of the server is " +
			`"/" in it.`,
		Example:   "leadline openapi\nleadline openapi developer >developer.json",
		ValidArgs: server.DocumentNames(),
		Args:      takesOptional("document"),
		RunE: func(_ *cobra.Command, args []string) error {
			document, err := server.OpenAPI(append(args, "contract")[0])
			if err != nil {
				return err
			}
			return p.printf("%s", document)
		},
	}
}
