// Uses an account as a new person does, without reading a document: node account.mjs BINARY
// [--all]. From the printed link it goes to a first request with a key, a webhook whose events
// are delivered and replayed, and a revoked key; once with scripts and once without them. Then it
// changes the password, ends sessions, downloads the data, and deletes the account.
// ONLY=journey in the environment limits the passes as in pages.mjs.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HtmlValidate } from 'html-validate'
import { listen, start, until } from '../clients/leadline.mjs'
import { Tab, finish, pass } from './tab.mjs'

const { Webhook } = createRequire(new URL('../clients/', import.meta.url))('standardwebhooks')
const [binary, all] = process.argv.slice(2)
const judge = new HtmlValidate({ extends: ['html-validate:standard'] })

// Receiver is a webhook endpoint that records what it gets.
class Receiver {
  requests = []

  async listen() {
    const { base, stop } = await listen(async (request, response) => {
      const chunks = []
      for await (const chunk of request) chunks.push(chunk)
      this.requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(200).end('<b>received</b>')
    })
    this.url = `${base}/leadline`
    this.stop = stop
  }

  // got waits for the request with a number, and returns its verified event.
  async got(number, secret) {
    await until(`request ${number}`, () => this.requests[number - 1])
    const { headers, body } = this.requests[number - 1]
    return { event: new Webhook(secret).verify(body, headers), headers }
  }
}

// Person is a browser of somebody who has an account.
class Person {
  secrets = []
  addresses = []
  parts = [] // requests beyond those of pages

  constructor(tab) {
    this.tab = tab
    this.page = tab.page
    this.page.on('request', r => {
      this.addresses.push(r.url())
      if (r.resourceType() !== 'document') this.parts.push(r.url())
    })
  }

  // press presses the button with a name in the content of the page.
  press(name) {
    return this.page.locator('main').getByRole('button', { name, exact: true }).click()
  }

  go(name) {
    return this.page.getByRole('link', { name, exact: true }).first().click()
  }

  // secret returns the secret that the page shows, and remembers it.
  async secret() {
    const text = await this.page.locator('pre.secret code').innerText()
    this.secrets.push(text)
    return text
  }

  // look checks the page as it is, in all widths and colors.
  async look(name) {
    const { tab, page } = this
    await page.locator('h1').first().waitFor() // a click does not wait for the next page
    assert.equal(await page.locator('h1').count(), 1, `${name}: h1`)
    const report = await judge.validateString(await page.content())
    const found = report.results.flatMap(r => r.messages).map(m => `${m.line}: ${m.ruleId}`)
    assert.deepEqual(found, [], name)
    const { length } = Buffer.from(await page.content())
    assert.ok(length < 50_000, `${name} has ${length} bytes`)
    await tab.picture(`account-${name}-1280-light`)
    if (tab.scripts) await tab.axe(`${name} at 1280, light`)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await tab.picture(`account-${name}-390-dark`)
    if (tab.scripts && all) await tab.axe(`${name} at 390, dark`)
    await page.setViewportSize({ width: 320, height: 256 })
    await tab.fits(`${name} at 320`)
    for (const width of [700, 800, 1000, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await tab.fits(`${name} at ${width}`)
    }
    await page.emulateMedia({ colorScheme: 'light' })
    assert.deepEqual(this.parts, [], `${name}: requests`)
  }

  // keepsSecrets asserts that no secret is in an address, a cookie or the history of the tab.
  async keepsSecrets() {
    const cookies = await this.tab.context.cookies()
    const places = [...this.addresses, ...cookies.map(c => c.value)]
    for (const secret of this.secrets)
      for (const place of places) assert.ok(!place.includes(secret), `a secret is in ${place}`)
  }
}

// shell runs a command and returns its output.
const shell = command => execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' })

// status returns the status of the request of a command that calls curl.
const status = command => shell(`${command} -s -o /dev/null -w '%{http_code}'`)

const email = 'ann@example.org'
const password = 'a lead and a long line'

// join creates the account by the link of the owner.
async function join(person, link) {
  const { page } = person
  await page.goto(link)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('New password').fill(password)
  await page.locator('main button').click()
  assert.equal(new URL(page.url()).pathname, '/account')
}

// firstKey joins, creates a key and sends the request that the page shows. It returns the command.
async function firstKey(person, link) {
  const { page } = person
  await join(person, link)
  await person.look('first-steps')
  await person.press('Create my first key')
  const key = await person.secret()
  assert.match(key, /^ldl_live_\w{40,}$/)
  await person.look('key')
  const command = await page.locator('pre code', { hasText: 'curl' }).innerText()
  assert.ok(command.includes(key))
  const answer = JSON.parse(shell(`${command} -s`))
  assert.ok(answer.extremes.length >= 3, JSON.stringify(answer))
  await page.reload()
  assert.equal(await page.locator('pre.secret').count(), 0, 'a second key after a reload')
  return command
}

// replaced replaces the key, which stays active for a day, and returns the command with the new
// one. Both work.
async function replaced(person, command) {
  const { page } = person
  await page.getByRole('link', { name: /^Replace/ }).click()
  await person.look('replace')
  await person.press('Replace the key')
  const key = await person.secret()
  await person.look('replaced')
  await page.getByRole('cell', { name: /^\d+ \w+ \d{4}, \d\d:\d\d UTC$/ }).waitFor()
  const next = command.replace(/ldl_live_\w+/, key)
  assert.deepEqual([status(command), status(next)], ['200', '200'])
  return next
}

// webhook adds a webhook, and looks at its test, at the delivery and at its replay.
async function webhook(person, receiver) {
  const { page } = person
  await person.go('Webhooks')
  await person.look('no-webhooks')
  await page.getByLabel('Address that receives the events').fill(receiver.url)
  await page.getByLabel('What to call it').fill('bridge')
  await person.press('Add the webhook')
  const secret = await person.secret()
  await person.look('webhook-secret')
  const first = await receiver.got(1, secret)
  assert.equal(first.event.type, 'webhook.test')
  await page.locator('main').getByRole('link', { name: 'bridge' }).first().click()
  await until('the webhook to be enabled', async () => {
    await page.goto(page.url())
    return (await page.getByRole('button', { name: 'Disable' }).count()) ? true : undefined
  })
  await person.look('webhook')
  await page.getByRole('link', { name: 'webhook.test' }).first().click()
  await person.look('delivery')
  await person.press('Replay this delivery')
  const again = await receiver.got(2, secret)
  assert.equal(again.event.id, first.event.id)
  assert.equal(again.headers['leadline-replay'], 'true')
}

// revoked revokes the key; the request of the command is refused, and the overview says why.
async function revoked(person, command) {
  const { page } = person
  await person.go('Keys')
  const row = page.getByRole('row').filter({ hasText: command.match(/ldl_live_\w{7}/)[0] })
  await row.getByRole('link', { name: /^Revoke/ }).click()
  await person.look('revoke')
  await person.press('Revoke the key')
  assert.equal(status(command), '401')
  await page.getByText('Ended keys').click()
  await page.getByRole('cell', { name: 'revoked' }).waitFor()
}

// others looks at the other pages of the account, and signs out.
async function others(person) {
  for (const name of ['Overview', 'Usage', 'Watches', 'Connected apps', 'Security']) {
    await person.go(name)
    await person.look(name.toLowerCase().replace(' ', '-'))
  }
  await person.go('Keys')
  await person.page.emulateMedia({ reducedMotion: 'reduce' })
  await person.tab.keyboard()
  await person.keepsSecrets()
  await person.page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await person.page.waitForURL('**/oauth/login**', { waitUntil: 'load' })
  await person.page.goBack()
  assert.equal(await person.page.getByText('Signed in as').count(), 0, 'a stored page')
}

// signIn signs in with a password, and returns the path of the next page.
async function signIn(page, secret) {
  await page.goto(`${Tab.base}/oauth/login?next=/account/security`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return new URL(page.url()).pathname
}

const security = '/account/security'

// account changes the password, ends sessions, downloads the data and deletes the account, with
// another browser of the same person.
async function account() {
  const folder = mkdtempSync(path.join(tmpdir(), 'leadline-account-'))
  const server = await start(binary, folder)
  Tab.base = server.base
  const [tab, other] = [await Tab.open('/'), await Tab.open('/')]
  tab.scripts = true
  try {
    const { page } = tab
    const person = new Person(tab)
    await join(person, server.ownerLink)
    await person.press('Create my first key')
    const key = await person.secret()
    assert.equal(await signIn(other.page, password), security)
    await person.go('Security')
    const change = page.getByRole('region', { name: 'Password', exact: true })
    await change.getByLabel('Current password').fill('not the right password')
    await change.getByLabel('New password').fill(`another ${password}`)
    await person.press('Change the password')
    await page.getByText('The current password is not right').waitFor()
    await person.look('password-refused')
    await change.getByLabel('Current password').fill(password)
    await change.getByLabel('New password').fill(`another ${password}`)
    await person.press('Change the password')
    await page.getByText('The password is set.').waitFor()
    await person.look('password-changed')
    await other.go(security)
    assert.equal(new URL(other.page.url()).pathname, '/oauth/login', 'a session goes on')
    assert.equal(await signIn(other.page, password), '/oauth/login', 'the old password')
    assert.equal(await signIn(other.page, `another ${password}`), security)
    const came = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download your data' }).click()
    const text = readFileSync(await (await came).path(), 'utf8')
    assert.equal(JSON.parse(text).account.email, email)
    for (const secret of [key, password]) assert.ok(!text.includes(secret), 'a secret in the data')
    await person.press('Sign out everywhere')
    await other.go(security)
    assert.equal(new URL(other.page.url()).pathname, '/oauth/login', 'signed in elsewhere')
    assert.equal(await signIn(page, `another ${password}`), security)
    const remove = page.getByRole('region', { name: 'Delete the account' })
    await remove.getByLabel('To confirm, type your e-mail address').fill(email)
    await remove.getByLabel('Current password').fill(`another ${password}`)
    await person.press('Delete the account')
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
    const of = `curl -H 'Authorization: Bearer ${key}' ${server.base}/api/v1/stations/8443970`
    assert.equal(status(of), '401')
    assert.equal(await signIn(page, `another ${password}`), '/oauth/login')
    await person.keepsSecrets()
  } finally {
    await tab.close()
    await other.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

// journey does all of it on a server of its own.
async function journey(javaScriptEnabled) {
  const folder = mkdtempSync(path.join(tmpdir(), 'leadline-account-'))
  const server = await start(binary, folder, '--webhook-private', '127.0.0.0/8')
  const receiver = new Receiver()
  await receiver.listen()
  Tab.base = server.base
  const tab = await Tab.open('/account', { javaScriptEnabled })
  tab.scripts = javaScriptEnabled
  try {
    const person = new Person(tab)
    const command = await replaced(person, await firstKey(person, server.ownerLink))
    await webhook(person, receiver)
    await revoked(person, command)
    await others(person)
    const refused = /status of (401|409)/ // the reload of a form
    assert.deepEqual(
      tab.complaints.filter(c => !refused.test(c)),
      [],
    )
  } finally {
    await tab.close()
    await receiver.stop()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

await pass('journey of an account', () => journey(true))
await pass('journey of an account without scripts', () => journey(false))
await pass('end of an account', account)
await finish()
