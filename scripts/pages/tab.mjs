// Pages in Chromium for the checks of this folder: what a page requests, what the browser
// reports, and what axe finds.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

export const screenshots = new URL('../../build/pages/', import.meta.url).pathname
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const port = 9222 + (process.pid % 800) // below 10080, which fetch refuses
export const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', `--remote-debugging-port=${port}`],
})
export const problems = []

// pass runs a part of the checks, prints how long it took, and notes what it found.
export async function pass(name, run) {
  if (!name.startsWith(process.env.ONLY ?? '')) return
  const begin = Date.now()
  try {
    await run()
    console.log(`ok: pages, ${name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`)
  } catch (e) {
    problems.push(name)
    console.log(`pages, ${name}: ${e.stack}`)
  }
}

// Tab is a page in a context of its own, with what it requested and complained about.
export class Tab {
  static base = '' // of all paths
  requests = []
  complaints = []

  static async open(path, { init, ...options } = {}) {
    const tab = new Tab()
    tab.context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      colorScheme: 'light',
      timezoneId: 'Asia/Tokyo', // never that of a station
      ...options,
    })
    tab.page = await tab.context.newPage()
    tab.page.on('request', r => /^https?:/.test(r.url()) && tab.requests.push(r.url()))
    tab.page.on('pageerror', e => tab.complaints.push(e.stack ?? String(e)))
    tab.page.on('console', m => tab.complaints.push(m.text()))
    await tab.page.addInitScript(() => {
      addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))
    })
    if (init) await tab.page.addInitScript(init)
    await tab.go(path)
    return tab
  }

  async go(path) {
    this.complaints.length = 0
    this.status = (await this.page.goto(Tab.base + path, { waitUntil: 'load' })).status()
  }

  // quiet asserts that the browser reported nothing but the status of an error page.
  quiet() {
    const said = this.complaints.filter(c => !(this.status === 404 && c.includes('404')))
    assert.deepEqual(said, [])
  }

  async picture(name) {
    await this.page.screenshot({ path: `${screenshots}${name}.png`, fullPage: true })
  }

  // axe asserts that axe finds nothing in the page as it is.
  async axe(where) {
    await this.page.evaluate(axe)
    const found = await this.page.evaluate(async () => {
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
      const { violations } = await window.axe.run(document, { runOnly: tags })
      const line = (v, n) => `${v.id}: ${n.html.slice(0, 160)}: ${n.failureSummary}`
      return violations.flatMap(v => v.nodes.map(n => line(v, n)))
    })
    assert.deepEqual(found, [], `axe ${where}`)
  }

  // overlaps returns pairs of words of a chart that cover each other, and words outside of it.
  overlaps(family) {
    return this.page.evaluate(family => {
      const sheet = document.styleSheets[0]
      sheet.insertRule(`.chart { font-family: ${family} !important }`, sheet.cssRules.length)
      const found = []
      for (const svg of document.querySelectorAll('svg.chart')) {
        if (!svg.getClientRects().length) continue
        const { width, height } = svg.viewBox.baseVal
        const words = [...svg.querySelectorAll('text')].map(text => {
          const { x, width } = text.getBBox()
          const size = parseFloat(getComputedStyle(text).fontSize)
          const y0 = text.y.baseVal[0].value - 0.76 * size // from the letters, not from the line
          return { x0: x, x1: x + width, y0, y1: y0 + 0.97 * size, text: text.textContent }
        })
        words.forEach((a, i) => {
          if (a.x0 < -0.5 || a.x1 > width + 0.5 || a.y0 < 0 || a.y1 > height)
            found.push(`${a.text} leaves`)
          for (const b of words.slice(i + 1)) {
            const across = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)
            const down = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)
            if (across > 0.5 && down > 0.5) found.push(`${a.text} / ${b.text}`)
          }
        })
      }
      sheet.deleteRule(sheet.cssRules.length - 1)
      return found
    }, family)
  }

  // fits asserts that the page does not scroll sideways, and that nothing leaves its card.
  async fits(where) {
    const wide = await this.page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('.card, .notice')]
        .filter(e => e.scrollWidth > e.clientWidth)
        .map(e => `${e.scrollWidth} > ${e.clientWidth}: ${e.innerText.slice(0, 60)}`),
    )
    assert.deepEqual(wide, [], `wider than its place ${where}`)
  }

  // keyboard goes through the page by keys: each stop is seen and has a mark.
  async keyboard() {
    const { page } = this
    await page.keyboard.press('Tab')
    assert.match(await page.evaluate(() => document.activeElement.innerText), /^Skip to/)
    let stops = 0
    for (; stops < 400; stops++) {
      const stop = await page.evaluate(() => {
        const e = document.activeElement
        if (e === document.body) return
        const { width, height, bottom, top } = e.getBoundingClientRect()
        return {
          name: e.outerHTML.slice(0, 100),
          seen: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
          // The button of a date field, which is inside of the field, has a mark of its own.
          marked: getComputedStyle(e).outlineStyle !== 'none' || /^date/.test(e.type),
        }
      })
      if (!stop) break
      assert.ok(stop.seen && stop.marked, JSON.stringify(stop))
      await page.keyboard.press('Tab')
    }
    assert.ok(stops > 10 && stops < 400, `${stops} stops`)
  }

  close() {
    return this.context.close()
  }
}

// finish closes the browser and ends the process with the result of all passes.
export async function finish() {
  await browser.close()
  if (problems.length) {
    console.error(`pages: failed: ${problems.join(', ')}`)
    process.exit(1)
  }
}
