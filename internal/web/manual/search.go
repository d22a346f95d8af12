package manual

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// index has the words of a page in small letters, for search.
type index struct {
	title, headings, text string
	lines                 []string // paragraphs, items and rows of the text, as written
}

// newIndex returns the index of a page.
func newIndex(title, path, markdown string) index {
	x := index{title: strings.ToLower(title + " " + path)}
	var headings, paragraph strings.Builder
	end := func() {
		if paragraph.Len() > 0 {
			x.lines = append(x.lines, paragraph.String())
			paragraph.Reset()
		}
	}
	code := ""
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		language, fence := strings.CutPrefix(line, "```")
		if fence {
			code = language
		}
		heading := strings.TrimLeft(line, "#")
		item := strings.TrimPrefix(line, "- ")
		cells := strings.Trim(line, "| ")
		switch {
		case code == "json" && !fence: // the same words in every example
		case line == "" || fence || strings.Trim(line, "|-") == "":
			end()
		case heading != line:
			end()
			headings.WriteString(" " + heading)
		default:
			if item != line || cells != line || code != "" {
				end()
			}
			if paragraph.Len() > 0 {
				paragraph.WriteByte(' ')
			}
			paragraph.WriteString(plain(strings.ReplaceAll(strings.Trim(item, "| "), " | ", " · ")))
		}
	}
	end()
	x.headings = strings.ToLower(headings.String())
	x.text = strings.ToLower(strings.Join(x.lines, "\n"))
	return x
}

// Hit is a page that search found.
type Hit struct {
	Page                 *Page
	Before, Match, After string // a line of the page around the first word
	score                int
}

// mostHits is the number of pages that a search returns at most.
const mostHits = 20

// Search returns the pages with all words of a query, or words that begin with them, the best
// first.
func (m *Manual) Search(query string) []Hit {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.'
	})
	const mostWords = 8
	words = words[:min(len(words), mostWords)]
	if len(words) == 0 {
		return nil
	}
	var hits []Hit
	for _, p := range m.order {
		if p.Path == "/docs" { // it repeats words of all pages
			continue
		}
		if score := p.index.score(words); score > 0 {
			hits = append(hits, Hit{Page: p, score: score})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.score, a.score) })
	hits = hits[:min(len(hits), mostHits)]
	for i := range hits {
		hits[i].quote(words)
	}
	return hits
}

// score returns how well a page matches words, 0 if it lacks one of them.
func (x index) score(words []string) int {
	total := 0
	if phrase := strings.Join(words, " "); len(words) > 1 && strings.Contains(x.text, phrase) {
		const together = 20
		total += together
	}
	for _, word := range words {
		score := 0
		const first, inTitle, inHeading, most = 20, 40, 12, 6
		if has(x.title, word) {
			score += inTitle
		}
		if strings.HasPrefix(x.title, word) {
			score += first
		}
		if has(x.headings, word) {
			score += inHeading
		}
		score += min(strings.Count(x.text, word), most)
		if score == 0 {
			return 0
		}
		total += score
	}
	return total
}

// has reports whether a word of a text begins with a word.
func has(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		if from += i; from == 0 || !isWord(text[from-1]) {
			return true
		}
		from++
	}
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// quote sets the line of the page that has the most of the words.
func (h *Hit) quote(words []string) {
	best, most := "", 0
	for _, line := range h.Page.index.lines {
		small, n := strings.ToLower(line), 0
		for _, word := range words {
			if strings.Contains(small, word) {
				n++
			}
		}
		if n > most {
			best, most = line, n
		}
	}
	h.After = h.Page.About
	for _, word := range words {
		small := strings.ToLower(best)
		at := strings.Index(small, word)
		if at < 0 || len(small) != len(best) { // letters that change their length
			continue
		}
		const around = 90
		from, to := max(0, at-around), min(len(best), at+len(word)+around)
		from, to = wordBegin(best, from), wordEnd(best, to)
		h.Before, h.Match, h.After = best[from:at], best[at:at+len(word)], best[at+len(word):to]
		if from > 0 {
			h.Before = "… " + h.Before
		}
		if to < len(best) {
			h.After += " …"
		}
		return
	}
}

// wordBegin and wordEnd move an index to the nearest space within the text.
func wordBegin(text string, i int) int {
	for i > 0 && text[i-1] != ' ' {
		i--
	}
	return i
}

func wordEnd(text string, i int) int {
	for i < len(text) && text[i] != ' ' {
		i++
	}
	return i
}
