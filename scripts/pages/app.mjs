// Runs the MCP App of a running server in Chromium: node app.mjs URL [--all]. The host is
// AppBridge of @modelcontextprotocol/ext-apps; the App is in a sandboxed frame under the policy
// that hosts set by default. Calls of tools go to the server. ONLY=wind in the environment
// limits the shapes of results to those whose name begins with wind.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const [base, all] = process.argv.slice(2)
const screenshots = new URL('../../build/pages/', import.meta.url).pathname
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; connect-src 'none'"

// rpc sends a request to the server and returns its result.
async function rpc(method, params) {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  assert.ok(result, JSON.stringify(error))
  return result
}

const callTool = params => rpc('tools/call', params)

const uri = 'ui://leadline/tide-chart'
const app = (await rpc('resources/read', { uri })).contents[0]
assert.equal(app.mimeType, 'text/html;profile=mcp-app')

const bundle = await build({
  entryPoints: [new URL('host.mjs', import.meta.url).pathname],
  bundle: true,
  format: 'iife',
  write: false,
  logLevel: 'error',
})
const hostPage = `<!doctype html><html lang="en"><title>Host</title>
<style>body{margin:0}iframe{border:0;width:100%;height:40px;display:block}</style>
<iframe sandbox="allow-scripts" title="App"></iframe>
<script>${bundle.outputFiles[0].text.replaceAll('</script', '<\\/script')}</script>`

// variables are styles that a host can give.
const variables = {
  '--color-background-primary': 'light-dark(#fffdf7, #1d1b16)',
  '--color-text-primary': 'light-dark(#141413, #f5f4ee)',
  '--color-text-secondary': 'light-dark(#52514a, #b8b5a9)',
  '--color-border-primary': 'light-dark(#dcd9cc, #3d3b34)',
  '--font-sans': 'DejaVu Serif, serif',
}

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
})

// Shown is the App in its host.
class Shown {
  requests = []
  complaints = []
  calls = []

  static async open({ width = 720, theme = 'light', tools = false, context = {} }) {
    const shown = new Shown()
    shown.context = await browser.newContext({
      viewport: { width, height: 700 },
      colorScheme: 'light',
    })
    shown.context.on('request', r => shown.requests.push(r.url()))
    await shown.context.route('**', route => shown.serve(route))
    shown.page = await shown.context.newPage()
    // ext-apps writes each message as debug.
    shown.page.on('console', m => m.type() !== 'debug' && shown.complaints.push(m.text()))
    shown.page.on('pageerror', e => shown.complaints.push(e.stack ?? String(e)))
    await shown.page.exposeFunction('callTool', params => {
      shown.calls.push(params)
      return callTool(params)
    })
    await shown.page.goto('http://host.example/')
    const capabilities = { openLinks: {}, ...(tools ? { serverTools: {} } : {}) }
    await shown.page.evaluate(
      ([c, h]) => window.host.open(c, h),
      [capabilities, { theme, locale: 'en-US', displayMode: 'inline', ...context }],
    )
    shown.frame = shown.page.frames()[1]
    return shown
  }

  serve(route) {
    const { pathname } = new URL(route.request().url())
    const headers = pathname === '/app' ? { 'Content-Security-Policy': policy } : {}
    const body = { '/': hostPage, '/app': app.text }[pathname]
    return body
      ? route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body })
      : route.abort()
  }

  give(input, result) {
    return this.page.evaluate(([i, r]) => window.host.give(i, r), [input, result])
  }

  record() {
    return this.page.evaluate(() => window.host.record)
  }

  text(selector) {
    return this.frame.locator(selector).textContent()
  }

  // summary waits until the summary matches a pattern.
  async summary(pattern) {
    const found = this.frame.locator('#summary').filter({ hasText: pattern })
    await found.waitFor({ timeout: 15_000 }).catch(async () => {
      assert.match(await this.text('#summary'), pattern)
    })
  }

  // settled waits until no size has been sent for a while, and returns the sizes.
  async settled() {
    for (let before = -1; ;) {
      await this.page.waitForTimeout(150)
      const { sizes } = await this.record()
      if (sizes.length === before) return sizes
      before = sizes.length
    }
  }

  // check asserts what holds for everything that is shown. axe takes most of the time.
  async check(name, accessible = true) {
    const sizes = await this.settled()
    const { initialized, early } = await this.record()
    assert.equal(initialized, 1, `${name}: the handshake`)
    assert.deepEqual(early, [], `${name}: messages before initialized`)
    assert.ok(sizes.length >= 1 && sizes.length < 20, `${name}: ${sizes.length} sizes`)
    sizes.forEach((size, i) => {
      assert.ok(Number.isInteger(size.width) && Number.isInteger(size.height), `${name}: size`)
      if (i) assert.notDeepEqual(size, sizes[i - 1], `${name}: the same size twice`)
    })
    const height = await this.frame.evaluate(() => document.body.getBoundingClientRect().height)
    assert.equal(sizes.at(-1).height, Math.ceil(height), `${name}: the last size`)
    await this.drawing(name)
    if (accessible) assert.deepEqual(await this.violations(), [], `${name}: axe`)
    assert.ok((await this.text('#end')).endsWith('Planning aid only. Not for navigation.'), name)
    assert.deepEqual(this.complaints, [], `${name}: complaints of the browser`)
    assert.deepEqual(
      this.requests,
      ['http://host.example/', 'http://host.example/app'],
      `${name}: requests`,
    )
  }

  // drawing asserts that the picture is finite, inside the frame, and that no words overlap.
  async drawing(name) {
    const found = await this.frame.evaluate(() => {
      const svg = document.querySelector('#plot:not([hidden]) svg')
      const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth
      if (!svg) return { wide, broken: [], overlaps: [], outside: [] }
      const broken = [...svg.querySelectorAll('*')].flatMap(e =>
        [...e.attributes]
          .filter(a => /NaN|Infinity|undefined/.test(a.value))
          .map(a => `${e.tagName} ${a.name}`),
      )
      const edge = svg.getBoundingClientRect()
      const boxes = [...svg.querySelectorAll('text')].map(t => ({
        words: t.textContent,
        box: t.getBoundingClientRect(),
      }))
      const meets = (a, b) =>
        a.left < b.right - 0.5 &&
        b.left < a.right - 0.5 &&
        a.top < b.bottom - 3.5 &&
        b.top < a.bottom - 3.5
      const overlaps = boxes.flatMap((a, i) =>
        boxes
          .slice(i + 1)
          .filter(b => meets(a.box, b.box))
          .map(b => `${a.words} and ${b.words}`),
      )
      const outside = boxes
        .filter(
          ({ box }) =>
            box.left < edge.left - 1 ||
            box.right > edge.right + 1 ||
            box.top < edge.top - 1 ||
            box.bottom > edge.bottom + 1,
        )
        .map(b => b.words)
      return { wide, broken, overlaps, outside }
    })
    assert.deepEqual(found, { wide: false, broken: [], overlaps: [], outside: [] }, name)
  }

  async violations() {
    await this.frame.evaluate(axe)
    const { violations } = await this.frame.evaluate(() =>
      window.axe.run(document, { iframes: false }),
    )
    return violations.map(v => `${v.id}: ${v.nodes.map(n => n.html).join(' ')}`)
  }

  // keys asserts that the slider reads values by keys.
  async keys(name, pattern) {
    const slider = this.frame.locator('#slider')
    await slider.focus()
    const value = () => slider.getAttribute('aria-valuetext')
    await this.page.keyboard.press('Home')
    const first = await value()
    assert.match(first, pattern, `${name}: Home`)
    await this.page.keyboard.press('ArrowRight')
    const second = await value()
    assert.notEqual(second, first, `${name}: ArrowRight`)
    assert.match(second, pattern, name)
    assert.equal(await this.text('#tip'), second, `${name}: the words at the slider`)
    await this.page.keyboard.press('ArrowLeft')
    assert.equal(await value(), first, `${name}: ArrowLeft`)
    await this.page.keyboard.press('PageUp')
    assert.notEqual(await value(), first, `${name}: PageUp`)
    await this.page.keyboard.press('End')
    assert.equal(
      await slider.getAttribute('aria-valuenow'),
      await slider.getAttribute('aria-valuemax'),
      `${name}: End`,
    )
  }

  // table asserts the number of rows behind "As a table".
  async table(name, rows) {
    await this.frame.getByText('As a table').click()
    assert.equal(await this.frame.locator('tbody tr').count(), rows, `${name}: rows`)
    await this.frame.getByText('As a table').click()
  }

  async close() {
    assert.deepEqual(await this.page.evaluate(() => window.host.close()), {}, 'teardown')
    await this.context.close()
  }
}

const tide = { station: '8443970', range: 48 }
const level = { station: '8443970', range: 24 }
const current = { station: 'ACT0091', range: 36 }
const wind = { station: '8443970', hours: 48 }
const full = (name, args) => callTool({ name, arguments: { ...args, view: 'full' } })
const results = {
  answer: await callTool({ name: 'noaa_get_tide_predictions', arguments: tide }),
  tide: await full('noaa_get_tide_predictions', tide),
  series: await full('noaa_get_tide_predictions', { station: '9455920', range: 72, interval: '30' }),
  level: await full('noaa_get_water_levels', level),
  current: await full('noaa_get_current_predictions', current),
  wind: await full('nws_get_wind_forecast', wind),
  windows: await full('noaa_get_tide_predictions', { station: '8443970', below: 1 }),
  week: await full('noaa_get_tide_predictions', { station: '8443970', range: 168 }),
  // The last midnight is so near the edge that there is no room for its words.
  edge: await full('noaa_get_tide_predictions', {
    station: '8443970',
    begin_date: '20270110 02:15',
    range: 168,
  }),
  error: await callTool({ name: 'noaa_get_tide_predictions', arguments: { station: '0000000' } }),
}
for (const [name, result] of Object.entries(results))
  assert.equal(Boolean(result.isError), name === 'error', `${name}: ${result.content[0].text}`)

const content = name => results[name].structuredContent
const clock = String.raw`\d+:\d\d\s[AP]M`
const dated = String.raw`\w{3}, \w{3} \d+, ${clock}`

// cases are results, with what the App must show for each.
const cases = [
  {
    name: 'tide',
    input: tide,
    result: results.tide,
    tools: true,
    calls: 1,
    title: /^Tide at Boston, MA$/,
    summary: new RegExp(`^Predicted .*\\sft, .* at ${dated}\\. Next (high|low) water `),
    keys: new RegExp(`^\\w{3} ${clock}, −?\\d+\\.\\d\\sft$`),
    rows: content('tide').extremes.length,
  },
  {
    name: 'answer',
    input: tide,
    result: results.answer,
    tools: true,
    calls: 2,
    title: /^Tide at Boston, MA$/,
    summary: new RegExp(`^Predicted .*\\sft, .* at ${dated}\\. Next (high|low) water `),
    keys: new RegExp(`^\\w{3} ${clock}, −?\\d+\\.\\d\\sft$`),
    rows: content('tide').extremes.length,
  },
  {
    name: 'tide-alone',
    input: tide,
    result: results.tide,
    calls: 0,
    title: /^Tide at Boston, MA$/,
    summary: /Between highs and lows the line is a drawing\.$/,
    keys: new RegExp(`^\\w{3} ${clock}, (high|low) water −?\\d+\\.\\d\\sft$`),
    rows: content('tide').extremes.length,
  },
  {
    name: 'series',
    input: { station: '9455920' },
    result: results.series,
    calls: 0,
    title: /^Tide at Anchorage.*, AK$/,
    summary: /times of America\/Anchorage\.$/,
    keys: new RegExp(`^\\w{3} ${clock}, −?\\d+\\.\\d\\sft$`),
    rows: content('series').series.count,
  },
  {
    name: 'series-with-events',
    input: { station: '9455920' },
    result: results.series,
    tools: true,
    calls: 1,
    title: /^Tide at Anchorage.*, AK$/,
    summary: /times of America\/Anchorage\.$/,
    labels: 3,
  },
  {
    name: 'week',
    input: { station: '8443970', range: 168 },
    result: results.week,
    tools: true,
    calls: 1,
    title: /^Tide at Boston, MA$/,
    summary: /^Predicted /,
    labels: 2,
  },
  {
    name: 'edge',
    input: { station: '8443970', begin_date: '20270110 02:15', range: 168 },
    result: results.edge,
    tools: true,
    calls: 1,
    title: /^Tide at Boston, MA$/,
    summary: /^Predicted /,
    labels: 2,
  },
  {
    name: 'levels',
    input: level,
    result: results.level,
    tools: true,
    calls: 1,
    title: /^Water level at Boston, MA$/,
    summary: new RegExp(`^Observed .*\\sft at ${dated}.*Predicted for that time .*\\sft\\. ` +
      'Observed minus predicted '),
    keys: /observed (−?\d+\.\d\sft|no value), predicted −?\d+\.\d\sft$/,
    rows: content('level').observed.count,
    legend: /^ObservedPredicted$/,
  },
  {
    name: 'levels-alone',
    input: level,
    result: results.level,
    calls: 0,
    title: /^Water level at Boston, MA$/,
    summary: /^Observed /,
    keys: /observed (−?\d+\.\d\sft|no value)$/,
    rows: content('level').observed.count,
    legend: /^Observed$/,
  },
  {
    name: 'current',
    input: current,
    result: results.current,
    tools: true,
    calls: 1,
    title: /^Tidal current at Eastport, Friar Roads, ME$/,
    summary: new RegExp(`^Predicted (flood|ebb|slack).* at ${dated}\\. Next slack .*` +
      'Flood toward 210° true, ebb toward 40°\\.'),
    keys: /(flood|ebb) \d+\.\d\skn$/,
    rows: content('current').events.length,
  },
  {
    name: 'current-alone',
    input: current,
    result: results.current,
    calls: 0,
    title: /^Tidal current/,
    summary: /Between slacks and greatest speeds the line is a drawing\.$/,
    keys: /, (slack|(flood|ebb) \d+\.\d\skn)$/,
    rows: content('current').events.length,
  },
  {
    name: 'wind',
    input: wind,
    result: results.wind,
    tools: true,
    calls: 0,
    title: /^Wind forecast at Boston, MA$/,
    summary: new RegExp(`^Forecast issued ${dated}\\. Strongest wind .*\\skn from \\d+°`),
    keys: /^\w{3} \d+:\d\d\s[AP]M, .*\skn from \d+°/,
    rows: content('wind').hours.count,
  },
]

const settings = [
  { width: 720, theme: 'light' },
  { width: 340, theme: 'dark' },
  ...(all
    ? [
        { width: 720, theme: 'dark' },
        { width: 340, theme: 'light' },
      ]
    : []),
]

async function run(c, { width, theme }) {
  const name = `${c.name} at ${width} px, ${theme}`
  const shown = await Shown.open({ width, theme, tools: c.tools })
  await shown.give(c.input, c.result)
  await shown.summary(c.summary)
  if (c.calls) {
    await shown.frame.waitForFunction(() => !document.querySelector('.drawn'))
    await shown.page.waitForTimeout(200)
  }
  assert.equal(shown.calls.length, c.calls, `${name}: calls ${JSON.stringify(shown.calls)}`)
  assert.match(await shown.text('#title'), c.title, name)
  const drawn = await shown.frame.locator('.drawn').count()
  assert.equal(
    drawn > 0,
    c.name === 'tide-alone' || c.name === 'current-alone',
    `${name}: a drawing`,
  )
  if (c.legend) assert.match(await shown.text('#legend'), c.legend, name)
  if (c.labels) {
    const labels = await shown.frame.locator('svg text.bold.halo').count()
    assert.ok(labels >= c.labels, `${name}: ${labels} labels`)
  }
  await shown.check(name, false)
  await shown.page.screenshot({
    path: `${screenshots}app-${c.name}-${width}-${theme}.png`,
    fullPage: true,
  })
  if (c.keys) await shown.keys(name, c.keys)
  if (c.rows !== undefined) await shown.table(name, Math.min(c.rows, 500) + (c.rows > 500 ? 1 : 0))
  await shown.check(`${name}, used`)
  await shown.close()
}

const only = process.env.ONLY
for (const c of cases.filter(c => !only || c.name.startsWith(only))) {
  for (const setting of settings) await run(c, setting)
  console.log(`ok: app ${c.name}`)
}

// texts shows what is not drawn: an error, text without structure, windows, a cancelled call.
async function texts() {
  for (const [name, result, words] of [
    ['error', results.error, results.error.structuredContent.error.message],
    ['markdown', { content: results.tide.content }, results.tide.content[0].text],
    ['windows', results.windows, results.windows.content[0].text],
    ['empty', { content: [] }, 'The result is empty.'],
    [
      'broken',
      {
        content: [{ type: 'text', text: 'As text.' }],
        structuredContent: { extremes: 7, series: null },
      },
      'As text.',
    ],
  ]) {
    const shown = await Shown.open({ tools: true })
    await shown.give({}, result)
    await shown.frame.locator('#text:not([hidden])').waitFor()
    assert.equal(await shown.text('#text'), words, name)
    assert.equal(await shown.frame.locator('#plot svg').count(), 0, `${name}: a drawing`)
    assert.equal(shown.calls.length, 0, name)
    await shown.check(name)
    await shown.page.screenshot({ path: `${screenshots}app-${name}.png`, fullPage: true })
    await shown.close()
  }
  const shown = await Shown.open({})
  await shown.page.evaluate(() => window.host.cancel('by the person'))
  await shown.frame
    .locator('#text', { hasText: 'The call was cancelled: by the person.' })
    .waitFor()
  await shown.check('cancelled')
  await shown.close()
  console.log('ok: app texts')
}

// themes changes theme, styles, size and display mode while a result is shown.
async function themes() {
  const shown = await Shown.open({})
  await shown.give(tide, results.tide)
  await shown.summary(/^Predicted /)
  const ground = () => shown.frame.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await ground()
  await shown.page.evaluate(() => window.host.context({ theme: 'dark' }))
  await shown.frame.waitForFunction(
    before => getComputedStyle(document.body).backgroundColor !== before,
    light,
  )
  await shown.check('dark')
  await shown.page.evaluate(
    v => window.host.context({ theme: 'dark', styles: { variables: v } }),
    variables,
  )
  await shown.frame.waitForFunction(
    () => getComputedStyle(document.body).backgroundColor === 'rgb(29, 27, 22)',
  )
  assert.match(
    await shown.frame.evaluate(() => getComputedStyle(document.body).fontFamily),
    /DejaVu Serif/,
  )
  await shown.check("the host's styles")
  await shown.page.screenshot({ path: `${screenshots}app-styles.png`, fullPage: true })
  const width = () => shown.frame.locator('svg').getAttribute('viewBox')
  const before = await width()
  await shown.page.setViewportSize({ width: 400, height: 700 })
  await shown.frame.waitForFunction(
    v => document.querySelector('svg').getAttribute('viewBox') !== v,
    before,
  )
  await shown.check('narrower')
  await shown.page.evaluate(() => window.host.context({ displayMode: 'fullscreen' }))
  await shown.frame.waitForFunction(
    () => document.querySelector('svg').viewBox.baseVal.height === 420,
  )
  await shown.close()
  console.log('ok: app themes')
}

// drawings asserts that no line connects events between which others are left out, and that a
// first page says so.
async function drawings() {
  const highs = structuredClone(results.tide)
  highs.structuredContent.extremes = highs.structuredContent.extremes.filter(e => e.type === 'high')
  const first = structuredClone(results.tide)
  Object.assign(first.structuredContent, { truncated: true, total: 900 })
  for (const [name, input, result, lines, words] of [
    ['one type', { type: 'high' }, highs, 0, /^Predicted /],
    ['one type, unknown arguments', {}, highs, 0, /^Predicted /],
    ['in daylight', { light: 'daylight' }, results.tide, 0, /^Predicted /],
    ['first page', {}, first, 1, /This is the first part of 900 values\.$/],
  ]) {
    const shown = await Shown.open({})
    await shown.give(input, result)
    await shown.summary(words)
    assert.equal(await shown.frame.locator('path.curve').count(), lines, name)
    await shown.check(name)
    await shown.close()
  }
  console.log('ok: app without wrong lines')
}

// hostile results stay text: no markup, no links but https, no messages of other windows.
async function hostile() {
  const result = structuredClone(results.tide)
  const s = result.structuredContent
  const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'
  s.station.name = markup
  s.notes = [markup]
  s.missing = [{ input: markup, reason: markup }]
  s.sources = [
    { ...s.sources[0], label: markup, attributionUrl: 'javascript:alert(3)' },
    { ...s.sources[0], label: 'good', attributionUrl: 'https://tidesandcurrents.noaa.gov/' },
  ]
  s.timeZone = 'Nowhere/At all'
  const shown = await Shown.open({ context: { locale: 'not a locale' } })
  await shown.give(tide, result)
  await shown.summary(/times of Nowhere\/At all/)
  assert.match(await shown.text('#title'), /<img src=x/)
  assert.equal(await shown.frame.locator('img, #title *, #missing *').count(), 0)
  await shown.frame.getByText('Sources and notes').click()
  assert.deepEqual(
    await shown.frame.locator('a').evaluateAll(l => l.map(a => a.getAttribute('href'))),
    ['https://tidesandcurrents.noaa.gov/'],
  )
  await shown.frame.locator('a').click()
  await shown.page.waitForFunction(() => window.host.record.links.length === 1)
  await shown.page.evaluate(message => window.host.forge(message), {
    jsonrpc: '2.0',
    method: 'ui/notifications/tool-result',
    params: { content: [{ type: 'text', text: 'forged' }] },
  })
  await shown.settled()
  assert.doesNotMatch(await shown.text('main'), /forged/)
  await shown.check('hostile')
  await shown.context.close()
  console.log('ok: app with a hostile result')
}

// gaps asserts that missing values are gaps in the line and words in the table.
async function gaps() {
  const result = structuredClone(results.level)
  const { heights } = result.structuredContent.observed
  heights.fill(null, 60, 100)
  const shown = await Shown.open({})
  await shown.give(level, result)
  await shown.frame.locator('svg path.observed').first().waitFor()
  assert.ok(
    (await shown.frame.locator('svg path.observed').count()) >= 2,
    'a line on either side of a gap',
  )
  await shown.frame.getByText('As a table').click()
  assert.ok((await shown.frame.getByText('no value').count()) >= 40, 'missing values in the table')
  await shown.page.screenshot({ path: `${screenshots}app-gaps.png`, fullPage: true })
  await shown.context.close()
  console.log('ok: app with gaps')
}

await texts()
await themes()
await drawings()
await hostile()
await gaps()
await browser.close()
