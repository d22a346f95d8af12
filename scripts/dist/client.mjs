// Starts the program of an unpacked desktop bundle as a desktop client does, with the command, the
// arguments and the environment of the manifest, and speaks each protocol version of the
// handshake with it, from the oldest on.
//
//   node client.mjs FOLDER
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const folder = process.argv[2]
const { server, user_config: settings } = JSON.parse(readFileSync(`${folder}/manifest.json`))
const config = { ...server.mcp_config, ...server.mcp_config.platform_overrides[process.platform] }
const fill = (text) =>
  text
    .replaceAll('${__dirname}', folder)
    .replaceAll(/\$\{user_config\.(\w+)\}/g, (_, name) => settings[name].default)

// conversation returns the messages of a program.
async function* conversation(child) {
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line)
}

const count = {}
for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01']) {
  const environment = Object.entries(config.env).map(([name, value]) => [name, fill(value)])
  const child = spawn(fill(config.command), config.args.map(fill), {
    env: Object.fromEntries(environment), // nothing of this shell, as no PATH and no HOME
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const replies = conversation(child)
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = async (id, method, params) => {
    send({ id, method, params })
    const { value } = await replies.next()
    assert.equal(value.id, id)
    return value.result ?? assert.fail(JSON.stringify(value.error))
  }
  const client = { name: 'old', version: '1' }
  const hello = await ask(1, 'initialize', {
    protocolVersion: version, capabilities: {}, clientInfo: client,
  })
  // A server that does not know a version names one of its own.
  if (version.startsWith('2')) assert.equal(hello.protocolVersion, version)
  else assert.match(hello.protocolVersion, /^2025-/)
  send({ method: 'notifications/initialized' })
  const { tools } = await ask(2, 'tools/list', {})
  const tides = await ask(3, 'tools/call', {
    name: 'noaa_get_tide_predictions', arguments: { station: '8443970' },
  })
  assert.ok(!tides.isError && tides.content[0].text.includes('Boston'), tides.content[0].text)
  count[version] = tools.length
  child.stdin.end()
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(code, 0, `the program ended with ${code}`)
}
console.log(`ok: bundle, tools by protocol version: ${JSON.stringify(count)}`)
