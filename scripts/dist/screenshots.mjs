// Takes the pictures of docs/directories.md from a running server: 1,280 by 800 points at twice
// the density, in headless Chromium, and the icon dist/icon.png.
//
//   node scripts/dist/screenshots.mjs URL [FOLDER]
//
// FOLDER is docs/images unless given. scripts/install pages chromium installs what it needs.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)
const { chromium } = createRequire(new URL('scripts/pages/', root))('playwright-core')
const [base, folder = fileURLToPath(new URL('docs/images', root))] = process.argv.slice(2)
if (!base) {
  console.error('usage: node scripts/dist/screenshots.mjs URL [FOLDER]')
  process.exit(2)
}
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium', args: ['--no-sandbox'],
})
const page = await browser.newPage({
  viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2, colorScheme: 'light',
})
for (const [name, path] of [
  ['home', '/'],
  ['station', '/stations/8443970'],
  ['current', '/stations/COD0911'],
  ['docs', '/docs'],
]) {
  const response = await page.goto(base + path, { waitUntil: 'networkidle' })
  if (response.status() !== 200) throw new Error(`${path}: status ${response.status()}`)
  await page.screenshot({ path: `${folder}/directory-${name}.png` })
  console.log(`${folder}/directory-${name}.png`)
}
// The icon of directories and of the desktop bundle is the one of the pages, on white.
const svg = await (await fetch(`${base}/favicon.svg`)).text()
const icon = await browser.newPage({ viewport: { width: 512, height: 512 } })
await icon.setContent(`<style>body{margin:0;background:#fff}svg{width:432px;height:432px;` +
  `margin:40px}</style>${svg}`)
await icon.screenshot({ path: fileURLToPath(new URL('dist/icon.png', root)) })
console.log('dist/icon.png')
await browser.close()
