package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpbench/internal/page"
	"mcpbench/internal/record"
)

// sampleRecord is what the pages of package page's tests are drawn from.
const sampleRecord = "../../internal/page/testdata/record"

// published is the record of which the page is published.
const published = "../../results/linux-amd64-2cpu"

// browserTimeout bounds what one test does in the browser.
const browserTimeout = 2 * time.Minute

// tab is a page in a real browser, with what it said and asked for.
type tab struct {
	ctx context.Context

	mu       sync.Mutex
	errors   []string
	requests []string
}

// absent skips a test for want of a tool, but not where continuous integration has to bring all of them.
func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// chromium is a running browser.
type chromium struct{ ctx context.Context }

// browser starts a headless Chromium for the tests of the caller.
func browser(t *testing.T) *chromium {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		absent(t, "no Chromium: install the package chromium to see the page in a browser")
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()))
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	require.NoError(t, chromedp.Do(ctx), "start %s", path)
	return &chromium{ctx}
}

// open opens a page in a tab of its own.
func (b *chromium) open(t *testing.T, url string, before ...step) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	t.Cleanup(end)
	require.NoError(t, chromedp.Do(ctx), "open a tab")
	ctx, end = context.WithTimeout(ctx, browserTimeout)
	t.Cleanup(end)
	p := &tab{ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, p.hear))
	p.run(t, commanded(network.Enable, network.EnableParams{}), commanded(log.Enable, cdp.Empty{}), commanded(runtime.Enable, cdp.Empty{}))
	p.run(t, before...)
	p.run(t, chromedp.Navigate(url))
	return p
}

// step is what is done in a tab.
type step = chromedp.Action[chromedp.Void]

// commanded is a command of the browser's protocol as a step.
func commanded[P, R any](command cdp.Command[P, R], params P) step {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, command, params)
		return chromedp.Void{}, err
	}
}

// hear notes what a page should not do.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			p.errors = append(p.errors, fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			p.errors = append(p.errors, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

func (p *tab) run(t *testing.T, steps ...step) {
	t.Helper()
	require.NoError(t, chromedp.Do(p.ctx, steps...))
}

// eval evaluates an expression in the page into a value of its JSON form.
func eval[T any](t *testing.T, p *tab, expression string, options ...chromedp.EvaluateOption) T {
	t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, options...))
	require.NoError(t, err, "%s", expression)
	return v
}

// sized sets the window's width and height.
func sized(width, height int64) step {
	return commanded(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
}

// scheme sets what the reader prefers: light or dark.
func scheme(name string) step {
	return commanded(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
}

// clicked clicks what a selector finds first, wherever it is on the page.
func clicked(t *testing.T, p *tab, selector string) {
	t.Helper()
	eval[bool](t, p, fmt.Sprintf("document.querySelector(%q).click() === undefined", selector))
}

// drawPage draws a record's page into a folder and returns the address of its HTML.
func drawPage(t *testing.T, of string) string {
	t.Helper()
	folder := t.TempDir()
	code, _, stderr := command("-record", of, "-out", folder)
	require.Zero(t, code, stderr)
	return "file://" + filepath.Join(folder, "index.html")
}

func TestPageInABrowser(t *testing.T) {
	b, url := browser(t), drawPage(t, sampleRecord)
	for name, test := range map[string]func(*testing.T, *chromium, string){
		"keeps to itself": keepsToItself, "calculator": calculates, "narrow screen": fitsNarrowScreens, "themes": hasTwoThemes,
		"sorting": sortsTables, "hover": showsValues, "keyboard": worksByKeyboard, "first screen": answersFirst,
	} {
		t.Run(name, func(t *testing.T) { test(t, b, url) })
	}
	url = drawPage(t, published)
	for name, test := range map[string]func(*testing.T, *chromium, string){
		"keeps to itself": keepsToItself, "narrow screen": fitsNarrowScreens, "themes": hasTwoThemes,
	} {
		t.Run("published: "+name, func(t *testing.T) { test(t, b, url) })
	}
}

// keepsToItself sees that the page asks nobody for anything and has no errors.
func keepsToItself(t *testing.T, b *chromium, url string) {
	t.Helper()
	p := b.open(t, url)
	clicked(t, p, "#theme")
	clicked(t, p, "table.figures th button")
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.errors)
	assert.Equal(t, []string{url}, p.requests)
}

// calculates holds what the page computes to what the planning table is computed with, and what it shows to that. Of
// the published record, in which admission alone takes more than the model says, as well as of the sample.
func calculates(t *testing.T, b *chromium, url string) {
	t.Helper()
	computesAsGo(t, b.open(t, drawPage(t, published)), published)
	p := b.open(t, url)
	computesAsGo(t, p, sampleRecord)
	before := eval[string](t, p, shownMemory)
	eval[bool](t, p, `(f => { f.elements.people.value = '90'; return f.dispatchEvent(new Event('input', {bubbles: true})); })(document.getElementById('calculator'))`)
	assert.NotEqual(t, before, eval[string](t, p, shownMemory), "it computes again when the crowd changes")
	for _, id := range []string{"calc-memory", "calc-limit", "calc-cores", "calc-p99", "calc-inflight"} {
		link := eval[[]string](t, p, fmt.Sprintf("(a => [a.getAttribute('href'), a.title, a.textContent])(document.querySelector('#%s a'))", id))
		assert.Regexp(t, `/(points|series)\.txt#L\d+$`, link[0], id)
		assert.Regexp(t, `^(points|series)\.txt, lines? \d+`, link[1], id)
	}
	for _, id := range []string{"calc-memory", "calc-p99"} {
		assert.Regexp(t, `^[\d.,]+ (MiB|ms), from [\d.,]+ to [\d.,]+$`, eval[string](t, p, fmt.Sprintf("document.getElementById('%s').textContent", id)))
	}
	assert.Contains(t, eval[string](t, p, "document.getElementById('calc-snippet').textContent"), "GOMEMLIMIT")
}

const shownMemory = "document.getElementById('calc-memory').textContent"

// sameSnippets holds what the page offers to be pasted to what cmd/size prints.
func sameSnippets(t *testing.T, p *tab, c *page.Calculator, of page.SizedSurface, n page.Need) {
	t.Helper()
	grant, err := c.Grant(of.Surface, of.Transport, n)
	require.NoError(t, err)
	for _, platform := range page.Platforms() {
		got := eval[string](t, p, fmt.Sprintf("(c => c.snippet(c.need(%[1]q, %[2]q, %[3]d, %[4]g), %[5]q, %[1]q, %[2]q))(window.mcpbenchCalculator)",
			of.Surface, of.Transport, n.People, n.Every.Seconds(), platform))
		assert.Equal(t, grant.Snippet(platform), got)
	}
}

// computesAsGo asks the page of a record and Go the same.
func computesAsGo(t *testing.T, p *tab, of string) {
	t.Helper()
	files, _, err := record.Files(of)
	require.NoError(t, err)
	rec, err := record.Read(files...)
	require.NoError(t, err)
	doc, err := page.Draw(rec)
	require.NoError(t, err)
	require.NotNil(t, doc.Calculator)
	type amount struct{ Lo, Middle, Hi float64 }
	type answer struct {
		Memory, Cores, P99               *amount
		Limit, Mean, Most, Processes     float64
		NoLoad, NoMemory, NoCores, NoP99 string
	}
	same := func(want page.Range, why string, got *amount, gotWhy, about string) {
		t.Helper()
		assert.Equal(t, why, gotWhy, about)
		if why != "" {
			assert.Nil(t, got, about)
			return
		}
		require.NotNil(t, got, about)
		assert.InDeltaSlice(t, []float64{want.Lo, want.Middle, want.Hi}, []float64{got.Lo, got.Middle, got.Hi}, 1e-9*want.Hi, about)
	}
	seen := make(map[string]bool)
	for _, s := range doc.Calculator.Surfaces {
		for _, people := range []int{1, 7, 100, 999, 1500, 10_000, 100_000} {
			for _, every := range []time.Duration{time.Second, 90 * time.Second, time.Hour} {
				want, err := doc.Calculator.Need(s.Surface, s.Transport, people, every)
				require.NoError(t, err)
				got := eval[answer](t, p, fmt.Sprintf("window.mcpbenchCalculator.need(%q, %q, %d, %g)", s.Surface, s.Transport, people, every.Seconds()))
				about := fmt.Sprintf("%s, %s, %d people every %v", s.Surface, s.Transport, people, every)
				assert.Equal(t, want.NoLoad, got.NoLoad, about)
				same(want.Memory, want.NoMemory, got.Memory, got.NoMemory, about+": memory")
				cores, noCores := want.Cores()
				same(cores, noCores, got.Cores, got.NoCores, about+": cores")
				p99, noP99 := want.P99()
				same(p99, noP99, got.P99, got.NoP99, about+": p99")
				if limit, none := want.Limit(); none == "" {
					assert.InEpsilon(t, limit, got.Limit, 1e-9, about)
					sameSnippets(t, p, doc.Calculator, s, want)
				}
				seen[fmt.Sprint(people > 1000, want.NoMemory == "", noP99 == "")] = true
				if want.NoLoad == "" {
					assert.InEpsilon(t, want.Mean, got.Mean, 1e-9, about)
					assert.InDelta(t, want.Most, got.Most, 0, about)
				}
			}
		}
	}
	assert.True(t, seen["true true false"], "crowds beyond the lines of which memory alone is known")
	assert.True(t, seen["true false false"], "crowds of which nothing is")
	assert.True(t, seen["false true true"], "crowds of which all is")
}

func fitsNarrowScreens(t *testing.T, b *chromium, url string) {
	t.Helper()
	p := b.open(t, url, sized(360, 800))
	assert.LessOrEqual(t, eval[int](t, p, "document.documentElement.scrollWidth"), 360, "the page does not scroll sideways")
	wide := eval[int](t, p, "[...document.querySelectorAll('table.figures')].filter(t => t.scrollWidth > 360).length")
	assert.Positive(t, wide, "but its tables do, or this test sees nothing")
}

func hasTwoThemes(t *testing.T, b *chromium, url string) {
	t.Helper()
	const ground = "getComputedStyle(document.body).backgroundColor"
	shown := func(p *tab) []string {
		return eval[[]string](t, p, `[...document.querySelectorAll('svg')].filter(s => s.getClientRects().length).map(s => [...s.querySelectorAll('path, text')].slice(0, 9).map(e => getComputedStyle(e).fill + getComputedStyle(e).stroke).join())`)
	}
	light, dark := b.open(t, url, scheme("light")), b.open(t, url, scheme("dark"))
	lightGround, darkGround := eval[string](t, light, ground), eval[string](t, dark, ground)
	assert.NotEqual(t, lightGround, darkGround)
	assert.NotEmpty(t, shown(light))
	assert.Len(t, shown(dark), len(shown(light)), "each chart in either theme")
	assert.Contains(t, shown(light)[0], "rgb(255, 255, 255)", "the paper")
	assert.NotContains(t, strings.Join(shown(light), ""), "var(")
	assert.NotEqual(t, shown(light), shown(dark))
	clicked(t, light, "#theme")
	assert.Equal(t, darkGround, eval[string](t, light, ground))
	assert.Equal(t, shown(dark), shown(light))
	clicked(t, light, "#theme")
	assert.Equal(t, lightGround, eval[string](t, light, ground))
}

// column is the data-values of a column of the first table, the known ones of it, from the top.
const column = `[...document.querySelectorAll('table.figures')[0].tBodies[0].rows].map(r => r.cells[%d].dataset.value).filter(v => v !== undefined).map(Number)`

func sortsTables(t *testing.T, b *chromium, url string) {
	t.Helper()
	p := b.open(t, url)
	const last = 2
	before := eval[[]float64](t, p, fmt.Sprintf(column, last))
	require.Greater(t, len(before), 2)
	button := fmt.Sprintf("table.figures th:nth-child(%d) button", last+1)
	state := fmt.Sprintf("document.querySelectorAll('table.figures')[0].tHead.rows[0].cells[%d].getAttribute('aria-sort')", last)
	sorted := slices.Sorted(slices.Values(before))
	clicked(t, p, button)
	assert.Equal(t, sorted, eval[[]float64](t, p, fmt.Sprintf(column, last)))
	assert.Equal(t, "ascending", eval[string](t, p, state))
	clicked(t, p, button)
	slices.Reverse(sorted)
	assert.Equal(t, sorted, eval[[]float64](t, p, fmt.Sprintf(column, last)))
	assert.Equal(t, "descending", eval[string](t, p, state))
	clicked(t, p, button)
	assert.Equal(t, before, eval[[]float64](t, p, fmt.Sprintf(column, last)), "the third time restores the order of the record")
}

func showsValues(t *testing.T, b *chromium, url string) {
	t.Helper()
	p := b.open(t, url)
	silent := eval[int](t, p, `[...document.querySelectorAll('svg .point')].filter(c => !c.querySelector('title')?.textContent.trim()).length`)
	assert.Zero(t, silent, "every point of a chart says its value")
	assert.Positive(t, eval[int](t, p, `document.querySelectorAll('svg .point title').length`))
	missed := eval[[]string](t, p, `[...document.querySelectorAll('svg .point')].filter(c => c.getClientRects().length).filter(c => {
		c.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
		const r = c.getBoundingClientRect();
		return !document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)?.classList.contains('point');
	}).map(c => c.outerHTML + ' ' + JSON.stringify(c.getBoundingClientRect()) )`)
	assert.Empty(t, missed, "the pointer reaches the points")
}

func worksByKeyboard(t *testing.T, b *chromium, url string) {
	t.Helper()
	p := b.open(t, url)
	p.run(t, chromedp.KeyEvent("\t"))
	assert.Equal(t, "A", eval[string](t, p, "document.activeElement.tagName"), "the first stop skips to the content")
	p.run(t, chromedp.Focus(chromedp.CSS("table.figures th button")), chromedp.KeyEvent("\r"))
	assert.NotEmpty(t, eval[string](t, p, "document.activeElement.closest('th').getAttribute('aria-sort') ?? ''"), "Enter sorts")
	assert.NotEqual(t, "none", eval[string](t, p, "getComputedStyle(document.activeElement).outlineStyle"), "the focus is seen")
}

// answersFirst sees that how much memory, how many cores and how long a client waits stands on the first screen in
// full, of a desktop and of a telephone, and of the published page as well as of the sample.
func answersFirst(t *testing.T, b *chromium, sample string) {
	t.Helper()
	type answer struct {
		Figure                   string
		Top, Bottom, Left, Right float64
	}
	for _, url := range []string{sample, drawPage(t, published)} {
		for _, screen := range []struct{ width, height int64 }{{1280, 800}, {360, 740}} {
			p := b.open(t, url, sized(screen.width, screen.height))
			answers := eval[[]answer](t, p, `[...document.querySelectorAll('.answers > div')].map(div => {
				const r = div.getBoundingClientRect();
				return {figure: div.querySelector('strong').textContent, top: r.top, bottom: r.bottom, left: r.left, right: r.right};
			})`)
			require.Len(t, answers, 3)
			for i, form := range []string{`^[\d.,]+.* [KMG]iB$`, `^One for [\d,]+( to [\d,]+)? calls/s$`, `^[\d.,]+.* (µs|ms|s)$`} {
				about := fmt.Sprintf("%v on %v", answers[i], screen)
				assert.Regexp(t, form, answers[i].Figure)
				assert.GreaterOrEqual(t, answers[i].Top, 0.0, about)
				assert.LessOrEqual(t, answers[i].Bottom, float64(screen.height), about)
				assert.GreaterOrEqual(t, answers[i].Left, 0.0, about)
				assert.LessOrEqual(t, answers[i].Right, float64(screen.width), about)
			}
			if screen.width > 1000 {
				bottom := eval[float64](t, p, "document.querySelector('table.figures').getBoundingClientRect().bottom")
				assert.LessOrEqual(t, bottom, float64(screen.height), "and the table of all scenarios with them")
			}
		}
	}
}

// axe is where `make peers` installs the accessibility checker.
const axe = "../../out/peers/node_modules/axe-core/axe.min.js"

func TestPageIsAccessible(t *testing.T) {
	script, err := os.ReadFile(axe)
	if err != nil {
		absent(t, "no axe-core: `make peers` installs it")
	}
	b, url, ofPublished := browser(t), drawPage(t, sampleRecord), drawPage(t, published)
	comparison := filepath.Join(t.TempDir(), "comparison.html")
	code, _, stderr := command("-old", sampleRecord, "-new", sampleRecord, "-out", comparison)
	require.Zero(t, code, stderr)
	for _, tt := range []struct {
		name, url, theme string
		size             step
	}{{"light", url, "light", sized(1280, 900)},
		{"published, light", ofPublished, "light", sized(360, 740)}, {"published, dark", ofPublished, "dark", sized(1280, 800)},
		{"comparison", "file://" + comparison, "dark", sized(360, 800)}} {
		t.Run(tt.name, func(t *testing.T) {
			p := b.open(t, tt.url, scheme(tt.theme), tt.size)
			p.run(t, chromedp.Evaluate[chromedp.Void](string(script)))
			for _, v := range violations(t, p) {
				t.Error(v)
			}
		})
	}
}

func TestComparisonInABrowser(t *testing.T) {
	b, file := browser(t), filepath.Join(t.TempDir(), "comparison.html")
	code, _, stderr := command("-old", sampleRecord, "-new", sampleRecord, "-out", file)
	require.Zero(t, code, stderr)
	p := b.open(t, "file://"+file, sized(360, 740))
	assert.LessOrEqual(t, eval[int](t, p, "document.documentElement.scrollWidth"), 360, "the page does not scroll sideways")
	assert.Positive(t, eval[int](t, p, "document.querySelectorAll('details table').length"))
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.errors)
	assert.Equal(t, []string{"file://" + file}, p.requests)
}

// violations runs axe-core on the page.
func violations(t *testing.T, p *tab) []string {
	t.Helper()
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	text := eval[string](t, p, "axe.run().then(r => JSON.stringify({violations: r.violations, passes: r.passes.length}))", chromedp.EvalAwaitPromise)
	var result struct {
		Violations json.RawMessage
		Passes     int
	}
	require.NoError(t, json.Unmarshal([]byte(text), &result))
	require.NoError(t, json.Unmarshal(result.Violations, &found))
	assert.Greater(t, result.Passes, 10, "rules that had something to look at")
	var lines []string
	for _, f := range found {
		for _, n := range f.Nodes {
			lines = append(lines, strings.Join([]string{f.ID, f.Help, n.HTML, n.FailureSummary}, "\n  "))
		}
	}
	return lines
}
