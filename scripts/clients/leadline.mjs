// Starts Leadline servers, each with an empty data folder, and provides what a client
// needs in addition: a redirect URI for browsers, and raw requests.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

// timeout limits a wait, in milliseconds.
const timeout = 20_000

// until waits for a value that is not undefined.
export async function until(what, value, limit = timeout) {
  for (const end = Date.now() + limit; Date.now() < end; await pause(20)) {
    const found = await value()
    if (found !== undefined) return found
  }
  throw new Error(`timed out waiting for ${what}`)
}

// start starts a server in a folder and returns its address, the link that it
// prints for its owner, and a function that stops it.
export async function start(binary, folder, ...flags) {
  const port = join(folder, 'port')
  const child = spawn(
    binary,
    [
      '--listen',
      '127.0.0.1:0',
      '--port-file',
      port,
      '--data',
      join(folder, 'data'),
      '--offline',
      '--log-level',
      'warn',
      '--drain-wait',
      '0s',
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  process.on('exit', () => child.kill('SIGKILL'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  const alive = () => assert.equal(child.exitCode, null, said)
  const base = await until(
    'the port of a server',
    () => (
      alive(),
      existsSync(port) && readFileSync(port, 'utf8')
        ? `http://127.0.0.1:${readFileSync(port, 'utf8').trim()}`
        : undefined
    ),
  )
  const ownerLink = await until(
    'the link of the owner',
    () => (alive(), said.match(/http\S*\/oauth\/join\?ticket=\S+/)?.[0]),
  )
  return { base, mcp: `${base}/pro/mcp`, ownerLink, stop: () => stop(child, () => said) }
}

// stop stops a server, which must not have logged warnings or errors, except that webhooks may
// reach this machine.
async function stop(child, said) {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await ended
  assert.equal(code, 0, said())
  const others = said().replaceAll(/^.*accounts may send events to private networks.*\n/gm, '')
  assert.doesNotMatch(others, /"level":|level=/)
}

// listen serves requests on loopback, on a free port unless one is given.
export async function listen(handle, port = 0) {
  const server = createServer(handle)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, base: `http://127.0.0.1:${server.address().port}`, stop: () => end(server) }
}

// unusedPort returns a port for a program that must be given one. It is below the ports that
// systems give to outgoing connections, one of which could otherwise take it before the program.
export async function unusedPort() {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    const probe = await listen(() => {}, port).catch(() => undefined)
    await probe?.stop()
    if (probe) return port
  }
}

async function end(server) {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

// awaitReturn serves the redirect URI of a client. returned resolves to the query
// with which a browser is redirected to it.
export async function awaitReturn() {
  let came
  const returned = new Promise(resolve => {
    came = resolve
  })
  const at = await listen((request, response) => {
    const url = new URL(request.url, 'http://client')
    response.end('the client has its response')
    if (url.pathname === '/callback') came(url.searchParams)
  })
  return { uri: `${at.base}/callback`, returned, stop: at.stop }
}

// metadata returns the authorization server's metadata as a client finds it, from
// the challenge of the resource.
export async function metadata(mcp) {
  const refused = await fetch(mcp, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  })
  assert.equal(refused.status, 401)
  const resource = await json(
    refused.headers.get('www-authenticate').match(/resource_metadata="([^"]+)"/)[1],
  )
  assert.equal(resource.resource, mcp)
  const issuer = new URL(resource.authorization_servers[0])
  return json(`${issuer.origin}/.well-known/oauth-authorization-server${issuer.pathname}`)
}

async function json(url) {
  const answer = await fetch(url)
  assert.equal(answer.status, 200, url)
  return answer.json()
}

// post sends a form.
export const post = (url, form) => fetch(url, { method: 'POST', body: new URLSearchParams(form) })

// ask requests the MCP endpoint with an access token and returns the status.
export async function ask(mcp, token) {
  const answer = await fetch(mcp, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  await answer.text()
  return answer.status
}
