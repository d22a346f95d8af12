// A person with a browser: headless Chromium, in which no script of a page
// runs, for the pages of a sign-in must do without.
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'

// mostLoads is how many pages of the server a person may load on the way from
// the client to the client. Redirects through it count as well.
const mostLoads = 4

export const email = 'captain@example.org'
const password = 'the tide that lifts all boats'

export const launch = () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })

// Person keeps one browser's cookies.
export class Person {
  static async come(browser) {
    const person = new Person()
    person.context = await browser.newContext({ javaScriptEnabled: false })
    person.context.setDefaultTimeout(15_000)
    person.page = await person.context.newPage()
    person.page.on('request', request => {
      if (request.isNavigationRequest() && request.frame() === person.page.mainFrame()) person.visited.push(request.url())
    })
    // What the policy of a page has forbidden is told here alone.
    person.page.on('console', message => { if (message.text().includes('Content Security Policy')) person.complaints.push(message.text()) })
    return person
  }

  visited = []
  complaints = []

  leave() { return this.context.close() }

  button(name) { return this.page.getByRole('button', { name }) }

  // press presses a button and waits until the browser is somewhere.
  async press(name, where) {
    await Promise.all([this.page.waitForURL(where), this.button(name).click({ noWaitAfter: true })])
  }

  async type() {
    await this.page.getByLabel('E-mail').fill(email)
    await this.page.getByLabel(/password/i).fill(password)
  }

  // own makes the account of the owner, with a password.
  async own(link) {
    await this.page.goto(link)
    await this.type()
    await this.press('Make the account', /\/account\//)
    await this.page.getByText(email).waitFor()
  }

  // consent goes from a client's request back to the client. agree does what
  // there is to do on the pages between.
  async consent(request, agree) {
    this.visited = []
    await this.page.goto(String(request))
    await this.page.getByRole('heading', { name: /Connect this app/ }).waitFor()
    await agree(this)
    const own = this.visited.filter(url => new URL(url).origin === new URL(request).origin)
    assert.ok(own.length <= mostLoads, `${own.length} page loads, of ${mostLoads}: ${own.join(' ')}`)
    assert.deepEqual(this.complaints, [])
    return own.length
  }

  // withPassword signs in on the page of the consent.
  static async withPassword(person) {
    await person.type()
    await person.press('Sign in and allow', /127\.0\.0\.1:\d+\/callback|localhost:\d+\/oauth\/callback/)
  }

  // signedIn agrees where one is signed in.
  static signedIn(person) {
    return person.press('Allow', /127\.0\.0\.1:\d+\/callback/)
  }

  // disconnect shuts the one app out that is connected.
  async disconnect(base) {
    await this.page.goto(`${base}/account/apps`)
    await this.button(/^Disconnect/).click()
    await this.page.getByText('No app is connected').waitFor()
  }
}
