// Receives webhooks with a third-party library: node webhooks.mjs BINARY. Every request is
// verified with standardwebhooks. Secrets are rotated, an endpoint fails and is disabled, and
// in the end the events that were received are compared with the list of the server. The
// JavaScript and the Python of docs/webhooks.md get real requests and altered ones.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { listen, start, until, unusedPort } from './leadline.mjs'

const binary = process.argv[2]
const folder = mkdtempSync(join(tmpdir(), 'leadline-webhooks-'))
const data = join(folder, 'data')
const email = 'ann@example.org'
const here = name => fileURLToPath(new URL(name, import.meta.url))

// An attempt that hangs takes 15 seconds, and the attempt before it is up to 7 seconds earlier.
const patience = 40_000

// leadline runs a command and returns its standard output.
const leadline = (...args) =>
  execFileSync(binary, [...args, '--data', data], { encoding: 'utf8', stdio: 'pipe' }).trim()

// Endpoint is a webhook endpoint with the requests that it has received.
class Endpoint {
  requests = []
  status = () => 204 // of the response to a request; undefined: no response

  constructor(api, path) {
    this.api = api
    this.path = path
  }

  // register creates the endpoint and waits until its test has enabled it.
  async register(events) {
    const made = await this.api.post('', { url: this.api.receiver + this.path, events })
    this.id = made.endpoint.id
    this.secret = made.secret
    assert.equal(made.endpoint.state, 'pending', `a new endpoint is ${made.endpoint.state}`)
    await this.comes('the test of a new endpoint', causedBy('created'))
    await this.enabled()
  }

  // enabled waits until the endpoint is enabled.
  enabled() {
    return until(`${this.path} to be enabled by its test`, async () => {
      const { endpoint } = await this.api.get(`/${this.id}`)
      return endpoint.state === 'enabled' || undefined
    })
  }

  // comes waits for a request.
  comes(what, matches, limit) {
    const found = () => this.requests.find(matches)
    return until(`${what} at ${this.path}`, found, limit)
  }

  // delivery waits until the delivery of an event is in a state, and returns it.
  delivery(event, state, limit) {
    return until(
      `the delivery of ${event} to ${this.path} to be ${state}`,
      async () => {
        const { delivery } = await this.api.get(`/${this.id}/deliveries/${event}`)
        return delivery.state === state ? delivery : undefined
      },
      limit,
    )
  }
}

// These match requests.
const causedBy = cause => r => r.event.type === 'webhook.test' && r.event.data.cause === cause
const ofKind = kind => r => r.event.type === kind
const about = title => r => r.event.data.incident?.title === title
const both = (one, other) => r => one(r) && other(r)
const replayed = r => r.headers['leadline-replay'] === 'true'
const attempt = n => r => r.headers['leadline-attempt'] === String(n)

// receive starts a server that records the requests of endpoints by their path.
async function receive(endpoints) {
  return listen(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const endpoint = endpoints.get(request.url)
    const got = { method: request.method, headers: request.headers, body, event: JSON.parse(body) }
    endpoint.requests.push(got)
    const status = await endpoint.status(got)
    if (status !== undefined) response.writeHead(status).end()
  })
}

// apiOf returns functions that send requests about webhooks, which must succeed.
function apiOf(base, key, receiver) {
  const send =
    (method, body) =>
    async (path, value = body) => {
      const url = `${base}/api/developer/webhooks${path}`
      const answer = await fetch(url, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: value && JSON.stringify(value),
      })
      const text = await answer.text()
      assert.ok(answer.ok, `${method} ${url} returns ${answer.status} ${text}`)
      return JSON.parse(text)
    }
  const [get, post, patch] = [send('GET'), send('POST', {}), send('PATCH')]
  return { base, key, receiver, get, post, patch }
}

// accepts reports whether the library accepts a request.
function accepts(secret, { headers, body }) {
  try {
    new Webhook(secret).verify(body.toString(), headers)
    return true
  } catch (error) {
    assert.equal(error.name, 'WebhookVerificationError', error.stack)
    return false
  }
}

// alterations returns copies of a request that must be refused: with a change that the signature
// reveals, and one that was signed an hour ago.
function alterations({ headers, body }, secret) {
  const withHeader = (name, value) => ({ headers: { ...headers, [name]: value }, body })
  const id = headers['webhook-id'],
    time = Number(headers['webhook-timestamp']),
    past = time - 3600
  return {
    body: { headers, body: Buffer.from(body.toString().replace('"type"', '"Type"')) },
    space: { headers, body: Buffer.concat([body, Buffer.from(' ')]) },
    id: withHeader('webhook-id', id.slice(0, -1) + (id.endsWith('0') ? '1' : '0')),
    timestamp: withHeader('webhook-timestamp', String(time + 1)),
    hour: {
      headers: {
        ...headers,
        'webhook-timestamp': String(past),
        'webhook-signature': new Webhook(secret).sign(id, new Date(past * 1000), body.toString()),
      },
      body,
    },
    signature: withHeader('webhook-signature', `v1,${Buffer.alloc(32).toString('base64')}`),
  }
}

// verified checks the form of a request and its signatures: one for each secret, in this order.
function verified(request, ...secrets) {
  const { method, headers, event } = request
  const what = `the ${event.type} ${headers['webhook-id']}`
  const signatures = headers['webhook-signature'].split(' ')
  assert.equal(signatures.length, secrets.length, `${what} has the signatures ${signatures}`)
  secrets.forEach((secret, i) => {
    assert.ok(accepts(secret, request), `${what}: the library refuses secret ${i + 1}`)
    const alone = { ...headers, 'webhook-signature': signatures[i] }
    assert.ok(accepts(secret, { ...request, headers: alone }), `${what}: signature ${i + 1}`)
    for (const [part, altered] of Object.entries(alterations(request, secret)))
      assert.ok(!accepts(secret, altered), `${what}: the library accepts another ${part}`)
  })
  assert.equal(method, 'POST', what)
  assert.equal(headers['content-type'], 'application/json', what)
  assert.match(headers['user-agent'], /^Leadline\/\S+$/, what)
  assert.match(headers['webhook-id'], /^msg_[0-9a-f]{32}$/, what)
  assert.match(headers['leadline-attempt'], /^[1-9]\d*$/, what)
  assert.deepEqual(Object.keys(event), ['type', 'timestamp', 'data'], what)
  assert.equal(event.data.eventId, headers['webhook-id'], `${what}: the eventId of its body`)
}

// incident announces an incident, which is an event for all accounts.
const incident = title =>
  leadline('incidents', 'create', '--title', title, '--message', 'Tides are late.')

// allKinds causes events of the kinds that a caller and an operator can cause.
async function allKinds(main) {
  const { base, key } = main.api
  const id = incident('Late tides')
  leadline('incidents', 'update', id, '--status', 'resolved', '--message', 'Fixed.')
  const [from, to] = [48, 49].map(h => new Date(Date.now() + h * 3600e3).toISOString())
  leadline(
    'maintenance',
    'schedule',
    '--title',
    'New disk',
    '--message',
    'Short.',
    '--from',
    from,
    '--until',
    to,
  )
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const compared = await fetch(`${base}/api/v1/decisions/material-change`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      stationId: '8443970',
      activity: 'boating',
      localDate: from.slice(0, 10),
      localTime: '09:00',
      baseline: { state: 'normal', confidence: 'high' },
    }),
  })
  assert.equal(compared.status, 200, await compared.text())
  await until('the monthly quota to be used up', async () => {
    const answer = await fetch(`${base}/api/v1/stations/8443970`, { headers })
    await answer.text()
    return answer.status === 429 || undefined
  })
  for (const kind of [
    'status.incident.created',
    'status.incident.updated',
    'status.maintenance.scheduled',
    'decision.material_change',
    'quota.warning',
    'quota.exceeded',
  ])
    await main.comes(`the event ${kind}`, ofKind(kind))
  console.log('ok: standardwebhooks: events of 7 kinds verified, altered ones refused')
}

// rotate replaces the secret of an endpoint, first with a time in which the old one signs too.
async function rotate(main) {
  const old = main.secret
  for (const request of main.requests) verified(request, old)
  const changed = await main.api.post(`/${main.id}/rotate`, { keepOld: '1h' })
  assert.notEqual(changed.secret, old, 'the new secret is the old one')
  const during = await main.comes('the test of a rotation', causedBy('rotated'))
  verified(during, changed.secret, old)

  const last = await main.api.post(`/${main.id}/rotate`, { keepOld: '0s' })
  const after = await main.comes(
    'the test of the second rotation',
    r => causedBy('rotated')(r) && r !== during,
  )
  verified(after, last.secret)
  for (const secret of [old, changed.secret])
    assert.ok(!accepts(secret, after), 'a secret signs although it was replaced')
  main.secret = last.secret
  main.replaced = [changed.secret, old]
  console.log('ok: standardwebhooks: two signatures during a rotation, one after it')
}

// secretsOf returns the secrets that sign a request, after the rotations.
function secretsOf({ secret, replaced }, request) {
  if (request.headers['webhook-signature'].includes(' ')) return replaced
  return [accepts(secret, request) ? secret : replaced[1]]
}

// breaks breaks the receiver of an endpoint: it returns 503, then one request hangs, and another
// gets 500. breaks returns the request that got 503, when the endpoint is paused.
async function breaks(endpoint) {
  const answers = { Lost: [503, undefined], Retried: [500] }
  endpoint.status = ({ event }) => {
    const next = answers[event.data.incident?.title]
    return next?.length > 0 ? next.shift() : 204
  }
  incident('Lost')
  const lost = await endpoint.comes('the first attempt', about('Lost'))
  await until('the pause after a 503', async () => {
    const { endpoint: now } = await endpoint.api.get(`/${endpoint.id}`)
    return now.pausedUntil ?? undefined
  })
  return lost
}

// recovers checks that one event is found again by a retry, and that of the request that hangs
// by a replay, after the endpoint was disabled.
async function recovers(endpoint, lost) {
  const id = lost.headers['webhook-id']
  incident('Retried')
  const retried = await endpoint.comes('a retry', both(about('Retried'), attempt(2)), patience)
  const { attempts } = await endpoint.delivery(retried.headers['webhook-id'], 'delivered')
  assert.deepEqual(
    attempts.map(a => a.status),
    [500, 204],
    'the attempts of the retried event',
  )
  const hung = await until(
    'the timeout of an attempt',
    async () => {
      const { delivery } = await endpoint.api.get(`/${endpoint.id}/deliveries/${id}`)
      return delivery.attempts.length === 2 ? delivery : undefined
    },
    patience,
  )
  assert.deepEqual(
    hung.attempts.map(a => [a.status, a.error]),
    [
      [503, 'status'],
      [null, 'timeout'],
    ],
    'the attempts of the event whose request hangs',
  )
  assert.equal(hung.state, 'pending', 'the state of a delivery with attempts ahead')

  await endpoint.api.patch(`/${endpoint.id}`, { enabled: false })
  await endpoint.delivery(id, 'skipped')
  await endpoint.api.patch(`/${endpoint.id}`, { enabled: true })
  await endpoint.comes('the test of an endpoint that is enabled again', causedBy('enabled'))
  await endpoint.enabled()
  const since = lost.event.timestamp
  const { count } = await endpoint.api.post(`/${endpoint.id}/replay`, { since })
  assert.equal(count, 1, `${count} deliveries are replayed, want the skipped one`)
  await endpoint.comes('the replay of a skipped delivery', both(about('Lost'), replayed))
  await endpoint.delivery(id, 'delivered')

  const all = endpoint.requests.filter(about('Lost'))
  assert.deepEqual(
    all.map(r => [r.headers['leadline-attempt'], r.headers['leadline-replay']]),
    [
      ['1', undefined],
      ['2', undefined],
      ['1', 'true'],
    ],
    'leadline-attempt and leadline-replay of two attempts and a replay',
  )
  for (const r of all) {
    assert.equal(r.headers['webhook-id'], id, 'the webhook-id of a later attempt')
    assert.ok(r.body.equals(lost.body), 'a later attempt has another body')
  }
  console.log('ok: standardwebhooks: 503, 500, a timeout; found again by retry and by replay')
}

// compareEvents compares the events that the server lists with those that were received.
async function compareEvents({ base, key }, endpoints) {
  const received = new Map()
  for (const { requests } of endpoints.values())
    for (const { headers, body } of requests) {
      const id = headers['webhook-id'],
        before = received.get(id)
      assert.ok(!before || before.equals(body), `${id} was received with two bodies`)
      received.set(id, body)
    }
  const listed = new Map()
  for (let before = ''; before !== null; ) {
    const query = `limit=10${before && `&before=${before}`}`
    const answer = await fetch(`${base}/api/developer/events?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    const { events, next } = JSON.parse(text)
    for (const { id } of events) {
      assert.ok(received.has(id), `${id} is listed and was not received`)
      const body = `"body":${received.get(id)}`
      assert.ok(text.includes(body), `the list does not have the bytes of ${id}: ${body}`)
      listed.set(id, true)
    }
    before = next
  }
  for (const id of received.keys()) assert.ok(listed.has(id), `${id} was received, not listed`)
  console.log(`ok: standardwebhooks: ${listed.size} events, listed as they were received`)
}

// snippet returns the block of docs/webhooks.md in a language.
function snippet(language) {
  const text = readFileSync(here('../../docs/webhooks.md'), 'utf8')
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(b => b[1] === language)
  assert.equal(blocks.length, 1, `docs/webhooks.md has ${blocks.length} blocks of ${language}`)
  return blocks[0][2]
}

// javascript runs the receiver of docs/webhooks.md, behind the endpoint.
async function javascript(main) {
  const place = join(folder, 'receiver')
  mkdirSync(place)
  symlinkSync(here('node_modules'), join(place, 'node_modules'))
  writeFileSync(join(place, 'receiver.mjs'), snippet('js'))
  const port = await unusedPort()
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: place,
    env: { PORT: port, LEADLINE_WEBHOOK_SECRET: main.secret },
  })
  const ended = once(child, 'exit')
  process.on('exit', () => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  const forward = async ({ headers, body }) => {
    const own = Object.entries(headers).filter(([name]) => /^(webhook|leadline)-/.test(name))
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: Object.fromEntries(own),
      body,
    })
    await answer.text()
    return answer.status
  }
  await until('the receiver of docs/webhooks.md', () => {
    assert.equal(child.exitCode, null, `the receiver of docs/webhooks.md has ended: ${said}`)
    return forward({ headers: {}, body: '{}' }).catch(() => undefined)
  })
  main.status = forward
  const { event, attempt: made } = await main.api.post(`/${main.id}/test`)
  assert.equal(
    made?.status,
    204,
    `the receiver of docs/webhooks.md: ${JSON.stringify(made)} ${said}`,
  )
  await until('the output of the receiver', () => said.includes(event) || undefined)
  main.status = () => 204
  const real = main.requests.find(r => r.headers['webhook-id'] === event)
  for (const [part, altered] of Object.entries(alterations(real, main.secret)))
    assert.equal(
      await forward(altered),
      400,
      `the receiver of docs/webhooks.md accepts another ${part}`,
    )
  const long = { headers: real.headers, body: Buffer.alloc(1 << 20, ' ') }
  assert.notEqual(
    await forward(long).catch(() => 'closed'),
    204,
    'the receiver of docs/webhooks.md accepts a long body',
  )
  assert.equal(await forward(real), 204, 'the receiver of docs/webhooks.md: a duplicate')
  assert.equal(said.split(event).length, 2, `the receiver handles a duplicate: ${said}`)
  child.kill()
  await ended
  console.log('ok: the JavaScript of docs/webhooks.md')
}

// python runs the function of docs/webhooks.md on real and altered requests.
function python(main) {
  const place = join(folder, 'python')
  mkdirSync(place)
  writeFileSync(join(place, 'webhooks.py'), snippet('python'))
  const run = `
import base64, json, sys, webhooks
for line in sys.stdin:
    secret, headers, body = json.loads(line)
    print(webhooks.verify(secret, headers, base64.b64decode(body)))
`
  const request = main.requests.at(-1)
  const during = main.requests.find(r => r.headers['webhook-signature'].includes(' '))
  const cases = [
    ['True', 'a real request', main.secret, request],
    ['True', 'the second of two signatures', main.replaced[1], during],
    ['False', 'another secret', main.replaced[1], request],
    ...Object.entries(alterations(request, main.secret)).map(([part, altered]) => [
      'False',
      `another ${part}`,
      main.secret,
      altered,
    ]),
  ]
  const input = cases
    .map(([, , secret, { headers, body }]) =>
      JSON.stringify([secret, headers, body.toString('base64')]),
    )
    .join('\n')
  const got = execFileSync('python3', ['-c', run], { cwd: place, input, encoding: 'utf8' })
  assert.deepEqual(
    got
      .trim()
      .split('\n')
      .map((result, i) => `${cases[i][1]}: ${result}`),
    cases.map(([want, what]) => `${what}: ${want}`),
    'what the Python of docs/webhooks.md returns',
  )
  console.log('ok: the Python of docs/webhooks.md')
}

// all runs everything. While an attempt hangs at one endpoint, the other gets its events.
async function all(server, receiver, endpoints) {
  const scopes = 'webhook:read,webhook:write,decision:read,raw:read'
  const key = leadline(
    'keys',
    'create',
    '--account',
    email,
    '--plan',
    'small',
    '--scopes',
    scopes,
    '--plans',
    join(folder, 'plans.json'),
  )
  const api = apiOf(server.base, key, receiver.base)
  const [main, other] = ['/main', '/broken'].map(path => {
    endpoints.set(path, new Endpoint(api, path))
    return endpoints.get(path)
  })
  await other.register(['status.incident.created'])
  const lost = await breaks(other)
  const recovered = recovers(other, lost)
  recovered.catch(() => {}) // awaited below
  await main.register(['*'])
  await allKinds(main)
  await rotate(main)
  await javascript(main)
  python(main)
  await recovered
  for (const request of main.requests) verified(request, ...secretsOf(main, request))
  for (const request of other.requests) verified(request, other.secret)
  await compareEvents(api, endpoints)
}

// logOf returns a line for each request, for a failure.
function logOf(endpoints) {
  const line = ({ headers: h, event }) =>
    `${h['leadline-attempt']} ${h['leadline-replay'] ?? ''} ${h['webhook-id']} ` +
    `${event.type} ${event.data.cause ?? event.data.incident?.title ?? ''}`
  return [...endpoints.values()]
    .flatMap(({ path, requests }) => [`requests to ${path}:`, ...requests.map(line)])
    .join('\n')
}

// The account can use up its quota of a month with a few requests.
const plans = {
  small: { perMinute: 3000, perMonth: 20, features: ['decision_api'], endpoints: 2 },
}
const endpoints = new Map()
try {
  writeFileSync(join(folder, 'plans.json'), JSON.stringify(plans))
  const receiver = await receive(endpoints)
  const server = await start(
    binary,
    folder,
    '--webhook-private',
    '127.0.0.0/8',
    '--plans',
    join(folder, 'plans.json'),
  )
  await all(server, receiver, endpoints)
  await server.stop()
  await receiver.stop()
} catch (error) {
  console.error(logOf(endpoints))
  throw error
} finally {
  rmSync(folder, { recursive: true, force: true })
}
