package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"leadline/internal/directory"
	"leadline/internal/planning"
	"leadline/internal/stations"
)

// configCommand returns leadline config.
func (p *program) configCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "config", Short: "Print the settings in force and the origin of each",
		Args: takes(),
		RunE: p.run(func(context.Context, []string) error {
			p.config.Print(p.streams.Out)
			return nil
		}),
	}, allSettings)
}

// versionCommand returns leadline version.
func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, commit, station data and epochs of its datums",
		Args: takes(),
		RunE: p.run(func(context.Context, []string) error {
			data, err := stations.Describe()
			if err != nil {
				return fmt.Errorf("open the station directory: %w", err)
			}
			return p.printf("leadline %s, REST contract %s, station data of %s, %s %s/%s\n"+
				"Epochs of embedded tidal datums: %s\n",
				thisBuild(), planning.Contract, data.Built.Format(time.DateOnly),
				strings.TrimPrefix(runtime.Version(), "devel "), runtime.GOOS, runtime.GOARCH,
				strings.Join(directory.EmbeddedEpochs(data.Epochs), ", "))
		}),
	}
}

// manual is the name of the command that describes all others.
const manual = "man"

// manCommand returns leadline man.
func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: manual + " FOLDER", Short: "Write manual pages to a folder",
		Example: "leadline man /usr/local/share/man/man1",
		Args:    takes("FOLDER"),
		RunE: func(c *cobra.Command, args []string) error {
			data, err := stations.Describe()
			if err != nil {
				return fmt.Errorf("open the station directory: %w", err)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("create the folder of manual pages: %w", err)
			}
			day, ok := thisBuild().day() // the same for each build of a commit
			if !ok {
				day = data.Built
			}
			root := c.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{
				Section: "1", Source: "leadline " + thisBuild().version,
				Manual: "Leadline", Date: &day,
			}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write manual pages: %w", err)
			}
			return nil
		},
	}
}
