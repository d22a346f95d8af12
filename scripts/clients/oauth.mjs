// Signs in with third-party OAuth clients: node oauth.mjs BINARY. Each performs the
// whole flow against a real server: it finds the metadata, registers, gets consent in
// Chromium, gets tokens, calls a tool, refreshes, and loses access when it is
// disconnected.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HTTP1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  Client as Client2,
  StreamableHTTPClientTransport as HTTP2,
  UnauthorizedError as Unauthorized2,
} from '@modelcontextprotocol/client'
import {
  ask,
  awaitReturn,
  listen,
  metadata,
  post,
  start,
  until,
  unusedPort,
} from './leadline.mjs'
import { launch, Person } from './person.mjs'
import { client as providerClient, provide, secret } from './provider.mjs'

console.warn = () => {} // advice of the libraries to their developers

const binary = process.argv[2]
const folder = mkdtempSync(join(tmpdir(), 'leadline-clients-'))
const info = { name: 'leadline-check', version: '1' }

// Keeper stores what an SDK requires its application to store.
class Keeper {
  constructor(redirect, name) {
    this.redirectUrl = redirect
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }

  state() {
    return (this.sent = crypto.randomUUID())
  }
  clientInformation() {
    return this.client
  }
  saveClientInformation(client) {
    this.client = client
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens) {
    this.saved = tokens
  }
  redirectToAuthorization(url) {
    this.request = url
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
  saveDiscoveryState(state) {
    this.found = state
  }
  discoveryState() {
    return this.found
  }
  invalidateCredentials(which) {
    if (which === 'all' || which === 'tokens') this.saved = undefined
  }
}

const sdk1 = {
  name: 'sdk 1.32',
  Unauthorized: Unauthorized1,
  client: () => new Client1(info),
  transport: (url, authProvider) => new HTTP1(url, { authProvider }),
  finish: (transport, query) => transport.finishAuth(query.get('code')),
}
const sdk2 = {
  name: 'client 2.4, negotiated',
  Unauthorized: Unauthorized2,
  client: () => new Client2(info, { versionNegotiation: { mode: 'auto' } }),
  transport: (url, authProvider) => new HTTP2(url, { authProvider }),
  finish: (transport, query) => transport.finishAuth(query),
}
const sdk2legacy = { ...sdk2, name: 'client 2.4, legacy', client: () => new Client2(info) }

// tier returns the tier of the caller.
async function tier(client) {
  const result = await client.callTool({ name: 'leadline_whoami', arguments: { view: 'full' } })
  assert.ok(!result.isError, JSON.stringify(result))
  return result.structuredContent.tier
}

// connect connects a client with the consent of a person. It returns the client and
// its stored values.
async function connect(sdk, server, person, agree) {
  const back = await awaitReturn()
  const keeper = new Keeper(back.uri, sdk.name)
  const url = new URL(server.mcp)
  const transport = sdk.transport(url, keeper)
  await assert.rejects(sdk.client().connect(transport), sdk.Unauthorized)
  const loads = await person.consent(keeper.request, agree)
  const query = await back.returned
  await back.stop()
  assert.equal(query.get('state'), keeper.sent)
  assert.equal(query.get('iss'), server.mcp)
  await sdk.finish(transport, query)
  const client = sdk.client()
  await client.connect(sdk.transport(url, keeper))
  assert.equal(await tier(client), 'pro')
  return { client, keeper, loads }
}

// whole performs the whole flow with an SDK.
async function whole(sdk, server, person, agree) {
  const { client, keeper, loads } = await connect(sdk, server, person, agree)
  const first = keeper.saved
  keeper.saved = { ...first, access_token: 'no.good.any-more' }
  assert.equal(await tier(client), 'pro')
  assert.notEqual(keeper.saved.refresh_token, first.refresh_token)
  const second = keeper.saved
  assert.equal(await ask(server.mcp, second.access_token), 200)

  const { revocation_endpoint: revocation } = await metadata(server.mcp)
  const revoked = await post(revocation, {
    token: second.refresh_token,
    token_type_hint: 'refresh_token',
    client_id: keeper.client.client_id,
  })
  assert.equal(revoked.status, 200)
  for (const tokens of [first, second])
    assert.equal(await ask(server.mcp, tokens.access_token), 401)
  keeper.request = undefined
  await assert.rejects(tier(client), sdk.Unauthorized)
  assert.ok(keeper.request, 'the client does not request consent again')
  await client.close()
  console.log(`ok: ${sdk.name}: sign-in in ${loads} page loads, refresh, revocation`)
}

// refused has a person deny consent, with turnAway.
async function refused(sdk, server, person, turnAway) {
  const back = await awaitReturn()
  const keeper = new Keeper(back.uri, sdk.name)
  await assert.rejects(
    sdk.client().connect(sdk.transport(new URL(server.mcp), keeper)),
    sdk.Unauthorized,
  )
  await person.consent(keeper.request, turnAway)
  const query = await back.returned
  await back.stop()
  assert.deepEqual(
    [query.get('error'), query.get('state'), query.get('iss'), query.get('code')],
    ['access_denied', keeper.sent, server.mcp, null],
  )
  console.log(`ok: ${sdk.name}: refused`)
}

// remote connects through mcp-remote, for clients without OAuth.
async function remote(server, person) {
  const config = join(folder, 'mcp-remote'),
    stub = join(folder, 'bin')
  mkdirSync(stub)
  for (const opener of ['xdg-open', 'gio', 'sensible-browser']) {
    writeFileSync(join(stub, opener), '#!/bin/sh\nexit 1\n')
    chmodSync(join(stub, opener), 0o755)
  }
  const open = async agree => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js')), server.mcp],
      stderr: 'pipe',
      env: {
        PATH: `${stub}:/usr/bin:/bin`,
        HOME: folder,
        MCP_REMOTE_CONFIG_DIR: config,
        BROWSER: join(stub, 'xdg-open'),
      },
    })
    let said = ''
    transport.stderr.on('data', text => {
      said += text
    })
    const client = new Client1(info)
    const connected = client.connect(transport)
    connected.catch(() => {})
    if (agree)
      await person.consent(
        await until(
          'the address that mcp-remote prints',
          () => said.match(/visiting:\s+(http\S+)/)?.[1],
        ),
        agree,
      )
    await connected.catch(error => {
      throw new Error(said, { cause: error })
    })
    assert.equal(await tier(client), 'pro', said)
    assert.equal(said.includes('visiting:'), Boolean(agree), said)
    await client.close()
  }
  await open(Person.withPassword)
  const [file] = readdirSync(config, { recursive: true })
    .filter(name => name.endsWith('tokens.json'))
    .map(name => join(config, name))
  const first = readFileSync(file, 'utf8')
  const { access_token: access, refresh_token: refresh } = JSON.parse(first)
  writeFileSync(file, first.replaceAll(access, 'no.good.any-more'))
  await open()
  const tokens = JSON.parse(readFileSync(file, 'utf8'))
  assert.notEqual(tokens.refresh_token, refresh)
  await person.disconnect(server.base)
  for (const token of [access, tokens.access_token]) assert.equal(await ask(server.mcp, token), 401)
  console.log('ok: mcp-remote: sign-in, refresh, disconnected by the person')
}

// conformance runs both scenarios of the suite for authorization servers together:
// the second reads the results of the first.
async function conformance(server, person) {
  const port = await unusedPort()
  const { registration_endpoint: registration } = await metadata(server.mcp)
  const answer = await fetch(registration, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_name: 'conformance',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  })
  assert.equal(answer.status, 201)
  const { client_id: id } = await answer.json()
  const main = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
  const child = spawn(process.execPath, [
    main,
    'authorization',
    '--url',
    server.mcp,
    '-o',
    join(folder, 'conformance'),
    '--client-id',
    id,
    '--port',
    `${port}`,
  ])
  const ended = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', text => {
      said += text
    })
  await person.consent(
    await until(
      'the address that the suite prints',
      () => said.match(/http\S+\/oauth\/authorize\?\S+/)?.[0],
    ),
    Person.signedIn,
  )
  const [code] = await ended
  assert.equal(code, 0, said)
  assert.match(said, /2 passed|Passed: 2/i, said)
  console.log('ok: conformance authorization')
}

// elsewhere signs in at an OpenID provider.
async function elsewhere(browser) {
  const upstream = await listen(() => {})
  const home = join(folder, 'elsewhere'),
    file = join(folder, 'secret')
  mkdirSync(home)
  writeFileSync(file, secret)
  const server = await start(
    binary,
    home,
    '--oidc-issuer',
    upstream.base,
    '--oidc-client-id',
    providerClient,
    '--oidc-client-secret-file',
    file,
  )
  provide(upstream, server.base)
  const atProvider = async (person, button) => {
    await person.press(button, `${upstream.base}/**`)
    await person.page.locator('[name=login]').fill('captain')
    await person.page.locator('[name=password]').fill('anything')
    await person.page.getByRole('button', { name: 'Sign-in' }).click()
    await person.page.getByRole('button', { name: 'Continue' }).click()
  }
  const owner = await Person.come(browser)
  await owner.page.goto(server.ownerLink)
  await atProvider(owner, /^Continue at/)
  await owner.page.waitForURL(/\/account$/)
  await owner.page.getByText('captain@example.org').waitFor()

  const again = await Person.come(browser)
  await whole(sdk1, server, again, async person => {
    await atProvider(person, /^Allow, and continue at/)
    await person.page.waitForURL(/\/callback\?/)
  })
  // Signed in at the provider and signed out here, the browser follows all
  // redirects from the consent form to the client.
  await again.page.goto(`${server.base}/account/apps`)
  await again.press('Sign out', /\/oauth\/login/)
  await whole(sdk2, server, again, person =>
    person.press(/^Allow, and continue at/, /\/callback\?/),
  )
  await refused(sdk1, server, await Person.come(browser), async person => {
    await person.press(/^Allow, and continue at/, `${upstream.base}/**`)
    await person.page.getByText('Cancel').click()
    await person.page.waitForURL(/\/callback\?/)
  })
  await server.stop()
  await upstream.stop()
  console.log('ok: sign-in at an OpenID provider')
}

async function all(browser) {
  mkdirSync(join(folder, 'own'))
  const server = await start(binary, join(folder, 'own'))
  const owner = await Person.come(browser)
  await owner.own(server.ownerLink)
  console.log('ok: the first account, by the link that the server prints')
  const stranger = await Person.come(browser)
  await whole(sdk1, server, stranger, Person.withPassword)
  await whole(sdk2, server, owner, Person.signedIn)
  await whole(sdk2legacy, server, owner, Person.signedIn)
  await refused(sdk1, server, await Person.come(browser), person =>
    person.press('Cancel', /\/callback\?/),
  )
  await remote(server, await Person.come(browser))
  await conformance(server, owner)
  await server.stop()
  await elsewhere(browser)
}

const browser = await launch()
try {
  await all(browser)
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
