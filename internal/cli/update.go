package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"leadline/internal/coast"
)

// Limits of a request for the newest release.
const (
	feedTimeout = 10 * time.Second
	feedBytes   = 1 << 20
)

// updateCommand returns leadline update.
func (p *program) updateCommand() *cobra.Command {
	var check bool
	c := uses(&cobra.Command{
		Use: "update --check", Short: "Compare this version with the newest release",
		Long: "Compare this version with the newest release that the --release-feed describes. " +
			"Without a feed nothing is asked. The program does not replace itself.",
		Example: "leadline update --check --release-feed https://example.org/release.json",
		Args:    takes(),
	}, "release-feed")
	c.Flags().BoolVar(&check, "check", false, "compare, and change nothing")
	c.RunE = p.run(func(ctx context.Context, _ []string) error {
		switch {
		case !check:
			return errors.New("missing --check: leadline does not replace itself; " +
				"leadline update --check compares versions")
		case p.config.ReleaseFeed == "":
			return errors.New("no release feed is set: --release-feed names its URL")
		}
		newest, err := newestRelease(ctx, p.config.ReleaseFeed)
		if err != nil {
			return fmt.Errorf("read the release feed: %w", err)
		}
		return p.printf("%s\n", newest.compare(thisBuild().version))
	})
	return c
}

// publication describes a release in the form that GitHub's API has for the latest one.
type publication struct {
	Tag  string `json:"tag_name"` // such as v0.2.0
	Page string `json:"html_url"` // for people; may be empty
}

// newestRelease reads the description of the newest release.
func newestRelease(ctx context.Context, feed string) (publication, error) {
	ctx, cancel := context.WithTimeout(ctx, feedTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, feed, nil)
	if err != nil {
		return publication{}, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "Leadline/"+thisBuild().version)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return publication{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return publication{}, fmt.Errorf("%s responds with status %s", feed, response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, feedBytes))
	if err != nil {
		return publication{}, err
	}
	return readPublication(body)
}

// readPublication reads a description from outside: the tag is a version, and the page an address
// that can be printed.
func readPublication(body []byte) (publication, error) {
	var p publication
	if err := json.Unmarshal(body, &p); err != nil {
		return publication{}, fmt.Errorf("no description of a release: %w", err)
	}
	if !semver.IsValid(p.Tag) {
		return publication{}, fmt.Errorf("invalid tag_name %q: must be a version such as v0.2.0",
			coast.Clip(p.Tag))
	}
	if u, err := url.Parse(p.Page); err != nil || u.Scheme != "https" || u.Host == "" {
		p.Page = ""
	} else {
		p.Page = u.String() // escaped
	}
	return p, nil
}

// compare returns a sentence about a version and the newest release.
func (p publication) compare(version string) string {
	newest := strings.TrimPrefix(p.Tag, "v")
	at := ""
	if p.Page != "" {
		at = ": " + p.Page
	}
	current := "v" + version
	switch {
	case !semver.IsValid(current):
		return fmt.Sprintf("this is leadline %s, not a release; the newest release is %s%s",
			version, newest, at)
	case semver.Compare(current, p.Tag) < 0:
		return fmt.Sprintf("leadline %s is available; this is %s%s", newest, version, at)
	case semver.Compare(current, p.Tag) > 0:
		return fmt.Sprintf("leadline %s is newer than the newest release, %s", version, newest)
	}
	return fmt.Sprintf("leadline %s is the newest release", version)
}
