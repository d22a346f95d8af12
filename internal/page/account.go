package page

import (
	_ "embed" // for the directives below
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

var (
	//go:embed account.html
	accountLayout string
	//go:embed account.css
	accountStyle string
)

// AccountPath is the path of the first page of an account; AccountSection is its name in the
// navigation.
const AccountPath, AccountSection = "/account", "Account"

// accountTabs are the pages of an account.
var accountTabs = []Link{
	{Name: "Overview", Path: AccountPath},
	{Name: "Keys", Path: AccountPath + "/keys"},
	{Name: "Usage", Path: AccountPath + "/usage"},
	{Name: "Webhooks", Path: AccountPath + "/webhooks"},
	{Name: "Watches", Path: AccountPath + "/watches"},
	{Name: "Connected apps", Path: AccountPath + "/apps"},
	{Name: "Security", Path: AccountPath + "/security"},
}

// AccountFrame is the frame of a page of an account. The data of each of these pages embeds it.
type AccountFrame struct {
	Frame
	Person string // e-mail address of the person who is signed in
	Token  string // of all forms on the page, see session.ForAccount
	Tabs   []Link
}

// Account returns the frame of the page of an account at a path, or of one below it.
func (s Site) Account(path, person, token string) AccountFrame {
	f := AccountFrame{Frame: s.Frame(AccountSection, ""), Person: person, Token: token}
	for _, tab := range accountTabs {
		tab.Current = path == tab.Path ||
			tab.Path != AccountPath && strings.HasPrefix(path, tab.Path+"/")
		f.Tabs = append(f.Tabs, tab)
	}
	return f
}

// AccountPage is a page of an account: a page of the site with tabs, and with the parts of forms
// of New. Its templates define "title", the heading of the page, and "main". It is safe for
// concurrent use.
type AccountPage[T any] struct{ site *SitePage[T] }

// NewAccount returns a page of an account, made of templates like those of NewSite. T embeds
// AccountFrame.
func NewAccount[T any](fsys fs.FS, o Options, names ...string) *AccountPage[T] {
	k := skeleton{
		layouts: []string{siteLayout, head, forms, accountLayout},
		styles:  []string{style, siteStyle, formStyle, accountStyle},
	}
	return &AccountPage[T]{newSite[T](fsys, o, k, names...)}
}

// Write responds with the page, see Page.Write. The page is not compressed, because its
// compressed length would reveal the secrets in it (BREACH).
func (p *AccountPage[T]) Write(w http.ResponseWriter, status int, data T, targets ...string) {
	body := p.site.HTML(data)
	h := w.Header()
	p.site.SetHeaders(h)
	if len(targets) > 0 {
		policy := strings.Replace(p.site.content().policy, "form-action 'self'", formAction(targets), 1)
		h.Set("Content-Security-Policy", policy)
	}
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
