// Looks at the pages of a running server in Chromium: node pages.mjs URL PROVIDERS [--all].
// PROVIDERS is the address of the simulator whose data the server has: its faults make parts
// late. By default axe looks in one color scheme and Lighthouse does not time anything; --all
// runs both schemes and asks for a performance of 98, the best of three. Screenshots go to
// build/pages. ONLY=month in the environment limits the passes to those whose name begins with
// month.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { HtmlValidate } from 'html-validate'
import lighthouse from 'lighthouse'
import { Tab, finish, pass, port, screenshots } from './tab.mjs'

const [base, providers, all] = process.argv.slice(2)
Tab.base = base

const questions = JSON.parse(readFileSync(new URL('../../e2e/trips.json', import.meta.url)))
const boston = '/stations/8443970'
const pages = Object.entries({
  home: '/',
  'home-signin': '/?signin=1',
  search: '/stations?q=boston',
  nothing: '/stations?q=qqxyzzy',
  states: '/stations',
  near: '/stations/near',
  'near-result': '/stations/near?lat=42.35&lon=-71.05',
  station: boston,
  current: '/stations/SFB1203', // Golden Gate
  subordinate: '/stations/8444162', // Boston Light
  lake: '/stations/9099064', // Duluth
  month: `${boston}?days=31`,
  planning: '/planning',
  'planning-form': '/planning/draft',
  'planning-windows': '/planning/low-tide?place=half+moon+bay',
  'planning-none': '/planning/low-tide?place=Boston&below=-20',
  'planning-refused': '/planning/launch?place=nowhere',
  'planning-slack': '/planning/slack?station=PUG1701', // Deception Pass
  'planning-passage': '/planning/passage?place=deception+pass&max_current=8',
  'planning-route':
    '/planning/route?station1=deception+pass&distance1=1&station2=PUG1717&leg2=10&days=30',
  'planning-king': '/planning/king-tides?place=Boston&year=2027',
  trip: '/planning/trip?place=Boston&date=tomorrow&activity=kayak',
  'trip-form': '/planning/trip',
  'trip-places': '/planning/trip?place=Portland',
  'trip-lake': '/planning/trip?place=Buffalo,+NY&date=weekend',
  'trip-far': '/planning/trip?place=Boston&date=2030-01-01',
  'docs-operation': '/docs/rest/getPredictions',
  'docs-tool': '/docs/mcp/noaa_get_tide_predictions',
  'docs-guide': '/docs/guides/rest',
  status: '/status',
  privacy: '/privacy',
  support: '/support',
  missing: '/no-such-page',
  polar: '/stations/9497645?date=2027-06-21', // Prudhoe Bay, where the sun does not set
})

// look opens a page once and looks at it in all sizes and colors.
async function look(name, path) {
  const tab = await Tab.open(path)
  const { page } = tab
  await page.waitForTimeout(100)
  assert.deepEqual(tab.requests, [base + path], 'requests')
  tab.quiet()
  assert.equal(await page.locator('h1').count(), 1, 'h1')
  await tab.picture(`${name}-1280-light`)
  const fonts = ['DejaVu Sans', 'Liberation Sans']
  for (const family of fonts) assert.deepEqual(await tab.overlaps(family), [], `words in ${family}`)
  await tab.axe('at 1280, light')
  await page.setViewportSize({ width: 390, height: 844 })
  for (const family of fonts) assert.deepEqual(await tab.overlaps(family), [], `words in ${family}`)
  await tab.axe('at 390, light')
  await tab.fits('at 390')
  await page.emulateMedia({ colorScheme: 'dark' })
  await tab.picture(`${name}-390-dark`)
  if (all) {
    await tab.axe('at 390, dark')
    await page.setViewportSize({ width: 1280, height: 900 })
    await tab.axe('at 1280, dark')
    await tab.picture(`${name}-1280-dark`)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 844 })
    await tab.picture(`${name}-390-light`)
  }
  await page.setViewportSize({ width: 320, height: 256 }) // 1280 x 1024 at 400 %
  await tab.fits('at 320')
  tab.quiet()
  await tab.close()
}

// bare opens all pages where what scripts use is missing.
async function bare() {
  const init = () => {
    delete globalThis.Intl
    delete globalThis.ResizeObserver
    delete globalThis.trustedTypes
    for (const name of ['clipboard', 'geolocation'])
      Object.defineProperty(navigator, name, { value: undefined })
  }
  const tab = await Tab.open('/', { init })
  for (const [, path] of pages) {
    await tab.go(path)
    tab.quiet()
  }
  await tab.go('/stations/near')
  await tab.page.getByRole('button', { name: 'Use my position' }).click()
  await tab.page.getByText('This browser cannot read the position.').waitFor()
  await tab.close()
}

// withoutScripts goes from home to a station, changes the units and the day, and types a
// position.
async function withoutScripts() {
  const tab = await Tab.open('/', { javaScriptEnabled: false })
  const { page } = tab
  await page.locator('#q').fill('boston')
  await page.locator('#q').press('Enter')
  await page.getByRole('link', { name: 'Boston, MA', exact: true }).click()
  assert.equal(new URL(page.url()).pathname, boston)
  await page.getByLabel('Units').selectOption('metric')
  await page.locator('#date').fill('2026-12-24')
  await page.getByRole('button', { name: 'Show' }).click()
  assert.match(page.url(), /date=2026-12-24.*units=metric/)
  await page.locator('th', { hasText: 'Thu 24 Dec' }).waitFor()
  assert.match(await page.locator('#tide').locator('..').innerText(), /m above MLLW/)
  await page.getByRole('link', { name: 'A month to print' }).click()
  assert.equal(await page.locator('tbody tr').count(), 31)
  await page.getByRole('link', { name: 'Near me' }).click()
  await page.getByLabel('Latitude').fill('42.35')
  await page.getByLabel('Longitude').fill('-71.05')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('heading', { name: 'The nearest stations' }).waitFor()
  await page.getByRole('link', { name: 'Boston, MA', exact: true }).click()
  assert.equal(new URL(page.url()).pathname, boston)
  tab.quiet()
  await tab.close()
}

// readout reads the curve by mouse and by keys, and compares it with the table of the page.
async function readout() {
  const tab = await Tab.open(`${boston}?date=2026-12-24`)
  const { page } = tab
  const knob = page.getByRole('slider').first()
  const tip = page.locator('.on div')
  const said = () => knob.getAttribute('aria-valuetext')
  await knob.hover({ position: { x: 200, y: 100 } })
  assert.match(await tip.innerText(), /^Thu \d+:\d\d\s[AP]M, predicted −?\d+\.\d ft$/)
  await page.mouse.move(5, 5)
  assert.equal(await tip.count(), 0)
  await knob.focus()
  await page.keyboard.press('Home')
  assert.match(await said(), /^Thu 12:00\sAM, /)
  for (const [key, time] of [
    ['ArrowRight', '12:06'],
    ['Shift+ArrowRight', '1:06'],
    ['PageUp', '2:06'],
    ['ArrowLeft', '2:00'],
    ['PageDown', '1:00'],
    ['Shift+ArrowLeft', '12:00'],
  ]) {
    await page.keyboard.press(key)
    assert.match(await said(), new RegExp(`^Thu ${time}\\sAM, predicted `), key)
  }
  await page.keyboard.press('End')
  assert.match(await said(), /^Sat 12:00\sAM, /)
  assert.equal(await tip.count(), 1)
  await page.keyboard.press('Escape')
  assert.equal(await tip.count(), 0)
  // The height at each high and low water is that of the table.
  const events = await page
    .locator('[data-part=tide] tbody tr')
    .first()
    .locator('span:has(time)')
    .evaluateAll(all =>
      all.map(e => [e.querySelector('time').dateTime, e.querySelector('strong').innerText]),
    )
  assert.ok(events.length >= 3)
  const number = text => Number(text.replace('−', '-'))
  for (const [time, height] of events) {
    await knob.evaluate((input, seconds) => {
      input.value = seconds
      input.dispatchEvent(new Event('input'))
    }, Date.parse(time) / 1000)
    const read = (await said()).match(/(−?[\d.]+)\sft/)[1]
    assert.ok(Math.abs(number(read) - number(height)) < 0.15, `${read} at ${time}, want ${height}`)
  }
  tab.quiet()
  await tab.close()
  const utc = await Tab.open(`${boston}?date=2026-12-24&zone=gmt&clock=24&units=metric`)
  await utc.page.getByRole('slider').first().press('Home')
  const first = await utc.page.locator('.on div').innerText()
  assert.match(first, /^Thu 00:00, predicted −?\d\.\d\d m$/)
  await utc.close()
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const current = await Tab.open('/stations/SFB1203', phone)
  await current.page.getByRole('slider').tap({ position: { x: 100, y: 60 } })
  const tapped = await current.page.locator('.on div').innerText()
  assert.match(tapped, /^\w{3} \d+:\d\d\s[AP]M, predicted \d\.\d kn (flood|ebb)$/)
  await current.close()
}

async function copy() {
  const tab = await Tab.open('/', { permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = tab
  const block = page.locator('pre').first()
  const text = await block.locator('code').textContent()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text)
  tab.quiet()
  await tab.close()
}

// documentation sends the forms of two operations with and without scripts, and searches.
async function documentation() {
  const tab = await Tab.open('/docs/rest/getPredictions')
  const { page } = tab
  const answer = page.locator('output')
  const send = page.getByRole('button', { name: 'Send request' })
  await page.getByLabel('id required').fill('9414290')
  await page.getByLabel('hours').fill('12')
  await page.getByLabel('units').selectOption('metric')
  await page.getByLabel('API key').fill('not-a-key')
  await send.click()
  await answer.getByText('invalid_credential').waitFor()
  assert.deepEqual(tab.complaints.splice(0).filter(c => !c.includes('401')), [])
  await page.getByLabel('API key').fill('')
  await send.click()
  await answer.getByText('San Francisco').waitFor()
  const text = await answer.innerText()
  const first = '200 GET /api/v1/stations/9414290/predictions?begin_date=2026-11-20&hours=12&units=metric'
  assert.equal(text.split('\n')[0], first)
  assert.equal(text.match(/^x-(ratelimit|quota|request)-/gm).length, 8)
  assert.equal(page.url(), `${base}/docs/rest/getPredictions`)
  await tab.axe('with a response')
  await tab.fits('with a response')
  await tab.go('/docs/rest/tripHealth')
  await send.click()
  await answer.getByText('"kind": "trip-health"').waitFor() // the days are not past
  await tab.axe('with a body')
  tab.quiet()
  await tab.close()
  const plain = await Tab.open('/docs/rest/getPredictions', { javaScriptEnabled: false })
  assert.equal(await plain.page.locator('fieldset').isVisible(), false, 'what needs a script')
  const opened = plain.context.waitForEvent('page')
  await plain.page.getByRole('button', { name: 'Send request' }).click()
  const json = await opened
  await json.waitForLoadState()
  assert.match(await json.locator('body').innerText(), /"name":"Boston"/)
  await plain.go('/docs/rest/tripHealth')
  assert.equal(await plain.page.locator('form.try').isVisible(), false)
  assert.equal(await plain.page.locator('noscript p').isVisible(), true)
  await plain.page.getByRole('searchbox').fill('rate_limited')
  await plain.page.getByRole('searchbox').press('Enter')
  await plain.page.getByRole('link', { name: 'Errors' }).last().click()
  await plain.page.getByRole('heading', { name: 'rate_limited' }).waitFor()
  plain.quiet()
  await plain.close()
}

async function suggestions() {
  const tab = await Tab.open(boston)
  const { page } = tab
  const field = page.getByRole('combobox', { name: 'Find a station' })
  await field.pressSequentially('golden ga')
  const options = page.locator('[role=option]')
  await options.first().waitFor()
  assert.equal(await field.getAttribute('aria-expanded'), 'true')
  assert.ok((await options.count()) <= 8)
  await tab.axe('with suggestions')
  await field.press('Escape')
  assert.equal(await options.count(), 0)
  assert.equal(await field.getAttribute('aria-expanded'), 'false')
  await field.press('Backspace')
  await options.first().waitFor()
  await field.press('ArrowUp')
  assert.equal(await options.last().getAttribute('aria-selected'), 'true')
  await field.press('ArrowDown')
  const chosen = page.locator('[aria-selected=true]')
  assert.equal(await field.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'))
  assert.match(await chosen.innerText(), /^San Francisco \(Golden Gate\)/)
  await field.press('Enter')
  await page.waitForURL('**/stations/9414290')
  tab.quiet()
  await tab.page.context().route('**/stations/suggest**', route => route.abort())
  await field.pressSequentially('boston')
  await page.waitForTimeout(300)
  await field.press('Enter') // the form works without suggestions
  await page.waitForURL('**/stations?q=boston')
  await tab.close()
}

// fail makes the simulator fail for paths with a prefix.
async function fail(path, kind, more = {}) {
  const body = JSON.stringify({ path, kind, ...more })
  const response = await fetch(`${providers}/-/fail`, { method: 'POST', body })
  assert.equal(response.status, 204, await response.text())
}

const heal = () => fetch(`${providers}/-/heal`, { method: 'POST' })

// lateParts opens a station whose provider is slow, and waits for its parts. The form keeps
// what somebody has chosen, the readout keeps the focus, and open details stay open.
async function lateParts() {
  await fail('/api/prod/', 'slow', { delay: '1500ms' })
  let tab
  try {
    for (const id of ['8724580', '8638610', '8771450', '9447130', '8534720']) {
      await tab?.close()
      tab = await Tab.open(`/stations/${id}`)
      if (await tab.page.locator('main[data-waiting]').count()) break // not yet in the cache
    }
    const { page } = tab
    assert.equal(await page.locator('main[data-waiting]').count(), 1, 'waiting')
    await page.getByText('has not answered in time').first().waitFor()
    await tab.picture('late')
    await tab.axe('with late parts')
    await page.getByLabel('Units').selectOption('metric')
    const notes = page.locator('[data-part=sources] details')
    await notes.locator('summary').click()
    await page.getByRole('slider').first().press('Home')
    await page.locator('[data-part=now]').getByText('Observed at').waitFor({ timeout: 20_000 })
    assert.equal(await page.getByLabel('Units').inputValue(), 'metric')
    assert.equal(await page.evaluate(() => document.activeElement.type), 'range', 'focus')
    assert.equal(await page.locator('.on div').count(), 1, 'readout')
    assert.equal(await notes.evaluate(e => e.open), true, 'open details')
    // Some facts are the second or third that the provider is asked for.
    const late = () => document.body.innerText.includes('has not answered in time')
    for (let i = 0; i < 100 && (await page.evaluate(late)); i++) await page.waitForTimeout(200)
    assert.equal(await page.evaluate(late), false, 'late parts')
    await tab.picture('late-arrived')
    tab.quiet()
  } finally {
    await tab.close()
    await heal()
  }
}

// downParts opens a station whose providers fail.
async function downParts() {
  await fail('/', 'refuse')
  const tab = await Tab.open('/stations/8518750')
  try {
    assert.ok((await tab.page.locator('.notice.care').count()) >= 2)
    assert.equal(await tab.page.getByRole('slider').count(), 2, 'charts of predictions')
    await tab.picture('down')
    await tab.axe('with failed providers')
    tab.quiet()
  } finally {
    await tab.close()
    await heal()
  }
}

async function position() {
  const refused = await Tab.open('/stations/near')
  await refused.page.getByRole('button', { name: 'Use my position' }).click()
  await refused.page.getByRole('status').getByText('does not allow').waitFor()
  await refused.axe('with a refused position')
  refused.quiet()
  await refused.close()
  const slow = await Tab.open('/stations/near', {
    init: () => {
      navigator.geolocation.getCurrentPosition = (_, failed) => failed({ code: 3 })
    },
  })
  await slow.page.getByRole('button', { name: 'Use my position' }).click()
  await slow.page.getByRole('status').getByText('in ten seconds').waitFor()
  await slow.close()
  const granted = await Tab.open('/stations/near', {
    permissions: ['geolocation'],
    geolocation: { latitude: 42.358431, longitude: -71.059773 },
  })
  await granted.page.getByRole('button', { name: 'Use my position' }).click()
  await granted.page.waitForURL('**/stations/near?lat=42.36&lon=-71.06')
  await granted.page.getByRole('heading', { name: 'The nearest stations' }).waitFor()
  granted.quiet()
  await granted.close()
}

// keyboard goes through pages by keys.
async function keyboard() {
  for (const path of [boston, '/docs/rest/getPredictions', '/status', '/planning/slack']) {
    const small = { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' }
    const tab = await Tab.open(path, small)
    await tab.keyboard()
    await tab.close()
  }
}

// paper prints the month on one page of both usual sizes.
async function paper() {
  for (const scheme of ['light', 'dark']) {
    const tab = await Tab.open(`${boston}?days=31`, { colorScheme: scheme })
    for (const format of ['A4', 'Letter']) {
      const margin = { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' }
      const pdf = await tab.page.pdf({ format, margin, path: `${screenshots}month-${format}.pdf` })
      const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length
      assert.equal(sheets, 1, `${format}, ${scheme}`)
    }
    await tab.close()
  }
  const tab = await Tab.open(boston)
  await tab.page.pdf({ format: 'A4', path: `${screenshots}station-A4.pdf` })
  await tab.close()
}

// year looks at a year to print, which has a month on each sheet.
async function year() {
  const tab = await Tab.open(`${boston}/year/2027`)
  for (const format of ['A4', 'Letter']) {
    const pdf = await tab.page.pdf({ format, path: `${screenshots}year-${format}.pdf` })
    assert.equal(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length, 12, format)
  }
  await tab.axe('at 1280, light')
  for (const width of [390, 320]) {
    await tab.page.setViewportSize({ width, height: 844 })
    await tab.fits(`at ${width}`)
  }
  tab.quiet()
  await tab.close()
}

// plans asks for low tides without scripts, from the navigation to the table.
async function plans() {
  const tab = await Tab.open('/', { javaScriptEnabled: false })
  const { page } = tab
  await page.getByRole('link', { name: 'Planning' }).click()
  await page.getByRole('link', { name: 'Low-tide walk' }).click()
  await page.getByLabel('Town, ZIP code or station id').fill('94019')
  await page.getByLabel('Below, ft').fill('0.5')
  await page.getByLabel('Days ahead').selectOption('90')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('heading', { name: /windows, .* in all/ }).waitFor()
  assert.equal(await page.locator('tbody').first().locator('tr').count(), 20)
  await page.getByRole('link', { name: 'Later' }).click()
  await page.getByRole('link', { name: 'Earlier' }).waitFor()
  const link = page.getByRole('link', { name: 'Add to calendar' })
  assert.match(await link.getAttribute('href'), /^webcal:.*tide-windows\.ics\?below=0\.5/)
  tab.quiet()
  await tab.close()
}

// trips asks questions of boaters, walkers, surfers, anglers and photographers, each with one form.
async function trips(asked, javaScriptEnabled) {
  const tab = await Tab.open('/planning/trip', { javaScriptEnabled })
  const { page } = tab
  for (const { place, day, choice } of asked) {
    await tab.go('/planning/trip')
    await page.getByLabel('Town, ZIP code or station id').fill(place)
    await page.getByLabel('Day', { exact: true }).fill(day)
    await page.getByLabel('Doing what').selectOption(choice)
    await page.getByRole('button', { name: 'Show' }).click()
    const verdict = await page.locator('#verdict').innerText()
    assert.match(verdict, /^[A-Z].{10,89}\.$/, place)
    assert.doesNotMatch(verdict, /\b(good|safe|fine|clear|go)\b/i, place)
    assert.equal(await page.locator('.week li').count(), 7, place)
    assert.match(await page.locator('summary').first().innerText(), new RegExp(`^${choice} at `))
  }
  tab.quiet()
  await tab.close()
}

// contrasts looks at a station with the forced colors of a contrast theme and without motion.
async function contrasts() {
  const tab = await Tab.open(boston, { forcedColors: 'active', reducedMotion: 'reduce' })
  const { page } = tab
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  for (const path of await page.locator('svg.chart:visible path.l').all()) {
    const stroke = await path.evaluate(e => getComputedStyle(e).stroke)
    assert.notEqual(stroke, ground, 'curve on the ground')
    assert.notEqual(stroke, 'none')
  }
  const scroll = () => getComputedStyle(document.documentElement).scrollBehavior
  assert.equal(await page.evaluate(scroll), 'auto')
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0)
  await tab.picture('station-forced')
  await tab.close()
}

async function validate() {
  const judge = new HtmlValidate({ extends: ['html-validate:standard'] })
  const found = []
  for (const [name, path] of pages) {
    const html = await (await fetch(base + path, { headers: { Accept: 'text/html' } })).text()
    const report = await judge.validateString(html)
    for (const m of report.results.flatMap(r => r.messages))
      found.push(`${name}:${m.line}: ${m.ruleId}: ${m.message}`)
  }
  assert.deepEqual(found, [])
}

// score runs Lighthouse for a phone. Performance depends on the machine: it counts in --all,
// the best of three.
async function score(name, path) {
  const best = {}
  const categories = ['accessibility', 'best-practices', 'seo', ...(all ? ['performance'] : [])]
  for (let run = 0; run < (all ? 3 : 1); run++) {
    const options = { port, output: 'json', logLevel: 'error', onlyCategories: categories }
    const { lhr } = await lighthouse(base + path, options)
    for (const { id, score, auditRefs } of Object.values(lhr.categories)) {
      best[id] = Math.max(best[id] ?? 0, Math.round(score * 100))
      for (const { id: audit, weight } of auditRefs) {
        const { score, title, displayValue } = lhr.audits[audit]
        if (weight && score !== null && score < 0.9)
          console.log(`lighthouse, ${name}: ${title}: ${displayValue ?? score}`)
      }
    }
    if ((best.performance ?? 100) >= 98) break
  }
  console.log(`lighthouse, ${name}: ${JSON.stringify(best)}`)
  for (const [id, value] of Object.entries(best))
    assert.ok(value >= (id === 'performance' ? 98 : 100), `${id} ${value}`)
}

for (const [name, path] of pages) await pass(name, () => look(name, path))
await pass('missing interfaces', bare)
await pass('without scripts', withoutScripts)
await pass('readout', readout)
await pass('copy', copy)
await pass('suggestions', suggestions)
await pass('docs', documentation)
await pass('position', position)
await pass('keyboard', keyboard)
await pass('paper', paper)
await pass('year', year)
await pass('plans', plans)
await pass('trips without scripts', () => trips(questions, false))
await pass('trips', () => trips(questions.slice(0, 2), true))
await pass('contrast theme', contrasts)
await pass('validation', validate)
await pass('Lighthouse of home', () => score('home', '/'))
await pass('Lighthouse of a station', () => score('station', boston))
if (all) {
  await pass('Lighthouse of an operation', () => score('operation', '/docs/rest/getPredictions'))
  await pass('Lighthouse of the status', () => score('status', '/status'))
  await pass('Lighthouse of a text', () => score('privacy', '/privacy'))
}
await pass('late parts', lateParts)
await pass('failed providers', downParts)
await finish()
