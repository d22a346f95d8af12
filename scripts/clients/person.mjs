// Simulates a person with a browser: headless Chromium without JavaScript, which
// the sign-in pages do not need.
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'

// mostLoads limits the pages of the server that a person loads between the request
// of the client and the redirect to it. Redirects count too.
const mostLoads = 4

export const email = 'captain@example.org'
const password = 'the tide that lifts all boats'

export const launch = () =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })

// Person has the cookies of one browser.
export class Person {
  static async come(browser) {
    const person = new Person()
    person.context = await browser.newContext({ javaScriptEnabled: false })
    person.context.setDefaultTimeout(15_000)
    person.page = await person.context.newPage()
    person.page.on('request', request => {
      if (request.isNavigationRequest() && request.frame() === person.page.mainFrame())
        person.visited.push(request.url())
    })
    // Only the console reports violations of the policy of a page.
    person.page.on('console', message => {
      if (message.text().includes('Content Security Policy')) person.complaints.push(message.text())
    })
    return person
  }

  visited = []
  complaints = []

  leave() {
    return this.context.close()
  }

  button(name) {
    return this.page.getByRole('button', { name })
  }

  // press presses a button and waits for an address.
  async press(name, where) {
    await Promise.all([this.page.waitForURL(where), this.button(name).click({ noWaitAfter: true })])
  }

  async type() {
    await this.page.getByLabel('E-mail').fill(email)
    await this.page.getByLabel(/password/i).fill(password)
  }

  // own creates the account of the owner, with a password.
  async own(link) {
    await this.page.goto(link)
    await this.type()
    await this.press('Create the account', /\/account$/)
    await this.page.getByText(email).waitFor()
  }

  // consent opens a client's request and follows it to the redirect to the client.
  // agree acts on the pages in between.
  async consent(request, agree) {
    this.visited = []
    await this.page.goto(String(request))
    await this.page.getByRole('heading', { name: /Connect this app/ }).waitFor()
    await agree(this)
    const own = this.visited.filter(url => new URL(url).origin === new URL(request).origin)
    assert.ok(
      own.length <= mostLoads,
      `${own.length} page loads, of ${mostLoads}: ${own.join(' ')}`,
    )
    assert.deepEqual(this.complaints, [])
    return own.length
  }

  // withPassword signs in on the consent page.
  static async withPassword(person) {
    await person.type()
    await person.press(
      'Sign in and allow',
      /127\.0\.0\.1:\d+\/callback|localhost:\d+\/oauth\/callback/,
    )
  }

  // signedIn agrees as a signed-in person.
  static signedIn(person) {
    return person.press('Allow', /127\.0\.0\.1:\d+\/callback/)
  }

  // disconnect disconnects the only connected app.
  async disconnect(base) {
    await this.page.goto(`${base}/account/apps`)
    await this.button(/^Disconnect/).click()
    await this.page.getByText('No app is connected').waitFor()
  }
}
