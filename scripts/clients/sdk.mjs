// Runs the TypeScript SDKs against the server: node sdk.mjs URL BINARY. Each client
// connects, lists, calls, reads, gets, completes, and provokes errors, over HTTP and
// over standard input and output. The SDKs also validate the results of all tools.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HTTP1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  Client as Client2,
  StreamableHTTPClientTransport as HTTP2,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'

const [url, binary] = process.argv.slice(2)
const info = { name: 'leadline-check', version: '1' }
const auto = { versionNegotiation: { mode: 'auto' } }
const stdio = { command: binary, args: ['stdio'], stderr: 'inherit' }

const clients = [
  ['sdk 1.32 over HTTP', new Client1(info), new HTTP1(new URL(url))],
  ['sdk 1.32 over stdio', new Client1(info), new Stdio1(stdio)],
  [
    'client 2.4 over HTTP, negotiated',
    new Client2(info, auto),
    new HTTP2(new URL(url)),
    '2026-07-28',
  ],
  ['client 2.4 over HTTP, legacy', new Client2(info), new HTTP2(new URL(url)), '2025-11-25'],
  ['client 2.4 over stdio, negotiated', new Client2(info, auto), new Stdio2(stdio), '2026-07-28'],
  ['client 2.4 over stdio, legacy', new Client2(info), new Stdio2(stdio), '2025-11-25'],
]

// tides checks the result as text and as structured content: some clients pass the
// former to the model, some the latter. Other tests check the numbers.
async function tides(client) {
  const asked = { station: '8443970', begin_date: '2026-11-20', range: 48 }
  const result = await client.callTool({ name: 'noaa_get_tide_predictions', arguments: asked })
  assert.ok(!result.isError, JSON.stringify(result))
  const answer = result.structuredContent
  assert.equal(answer.summary, result.content[0].text.split('\n')[0])
  assert.deepEqual(answer.columns, ['time', 'type', 'height ft'])
  assert.equal(answer.days[0].date, 'Fri 2026-11-20')
  assert.deepEqual(answer.days[0].rows[1].slice(0, 2), ['07:04', 'high'])
  assert.equal(`${answer.name} ${answer.datum}`, 'Boston, MA MLLW')
  const full = await client.callTool({
    name: 'noaa_get_tide_predictions',
    arguments: { ...asked, view: 'full' },
  })
  const { station, datum, heightUnit, extremes, sources } = full.structuredContent
  assert.equal(station.name, 'Boston')
  assert.equal(datum, 'MLLW')
  assert.equal(heightUnit, 'ft')
  assert.equal(extremes.length, 8)
  assert.equal(extremes[1].time, '2026-11-20T07:04:00-05:00')
  assert.equal(extremes[1].type, 'high')
  assert.equal(sources[0].provider, 'NOAA CO-OPS')
  for (const fact of ['Boston', 'feet above MLLW', 'Fri 2026-11-20 EST', '07:04 high'])
    assert.ok(result.content[0].text.includes(fact), fact)
}

// errors checks that a failed call is a result that the model can act on,
// and that an unknown name is a protocol error with the nearest known one.
async function errors(client) {
  const failed = await client.callTool({
    name: 'noaa_get_tide_predictions',
    arguments: { station: '0000000' },
  })
  assert.equal(failed.isError, true)
  assert.equal(failed.structuredContent.error.code, 'station_not_found')
  const unknown = await client.callTool({
    name: 'noaa_get_tide_predictions',
    arguments: { station: '8443970', unit: 'metric' },
  })
  assert.match(unknown.content[0].text, /units/)
  await assert.rejects(
    client.callTool({ name: 'noaa_get_tide_prediction', arguments: {} }),
    /noaa_get_tide_predictions/,
  )
  await assert.rejects(client.getPrompt({ name: 'tide_report', arguments: {} }), /location/)
  await assert.rejects(
    client.readResource({ uri: 'leadline://reference/datum' }),
    /leadline:\/\/reference\/datums/,
  )
}

async function drive(client) {
  assert.equal(client.getServerVersion().name, 'leadline')
  assert.equal((await client.listTools()).tools.length, 26)
  assert.equal((await client.listPrompts()).prompts.length, 7)
  assert.equal((await client.listResources()).resources.length, 17)
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2)
  await tides(client)
  const page = await client.readResource({ uri: 'leadline://reference/datums' })
  assert.match(page.contents[0].text, /MLLW/)
  const card = await client.readResource({ uri: 'leadline://stations/8443970' })
  assert.match(card.contents[0].text, /Boston/)
  const prompt = await client.getPrompt({ name: 'tide_report', arguments: { location: 'Boston' } })
  assert.match(prompt.messages[0].content.text, /Boston/)
  const stations = await client.complete({
    ref: { type: 'ref/prompt', name: 'station_overview' },
    argument: { name: 'station', value: '84439' },
  })
  assert.ok(stations.completion.values.includes('8443970'))
  const topics = await client.complete({
    ref: { type: 'ref/resource', uri: 'leadline://reference/{topic}' },
    argument: { name: 'topic', value: 'dat' },
  })
  assert.ok(topics.completion.values.includes('datums'))
  await errors(client)
}

// planning checks an address and a command line that choose a tool set.
async function planning() {
  const at = new URL(url)
  at.searchParams.set('toolsets', 'planning')
  const args = ['stdio', '--toolsets', 'planning']
  for (const [client, transport] of [
    [new Client1(info), new HTTP1(at)],
    [new Client2(info, auto), new HTTP2(at)],
    [new Client1(info), new Stdio1({ ...stdio, args })],
    [new Client2(info, auto), new Stdio2({ ...stdio, args })],
  ]) {
    await client.connect(transport)
    const names = (await client.listTools()).tools.map(tool => tool.name)
    assert.ok(names.includes('leadline_find_places'), names)
    assert.ok(names.every(name => name.startsWith('leadline_')), names)
    const found = await client.callTool({
      name: 'leadline_find_places',
      arguments: { query: 'Half Moon Bay, CA', view: 'full' },
    })
    assert.equal(found.structuredContent.places[0].nearest.tide.id, '9414131')
    await assert.rejects(
      client.callTool({ name: 'noaa_search_stations', arguments: {} }),
      /unknown tool/,
    )
    await client.close()
  }
  const wrong = new URL(url)
  wrong.searchParams.set('toolsets', 'nothing')
  await assert.rejects(new Client1(info).connect(new HTTP1(wrong)), /core and planning/)
  console.log('ok: tool sets')
}

const root = new URL('../../', import.meta.url)
const read = path => readFileSync(new URL(path, root), 'utf8')

// callsOf returns calls of the listed tools: the questions, the recorded calls, and malformed ones
// of each tool.
function callsOf(tools) {
  const tomorrow = new Date(Date.now() + 36 * 3600e3).toISOString().slice(0, 10)
  const { questions } = JSON.parse(read('e2e/questions.json').replaceAll('{tomorrow}', tomorrow))
  const asked = questions
    .flatMap(question => question.calls)
    .map(call => ({ name: call.tool, arguments: call.arguments }))
  const recorded = readdirSync(new URL('docs/examples/tools/', root)).map(file => ({
    name: file.replace('.json', ''),
    arguments: JSON.parse(read(`docs/examples/tools/${file}`)).arguments,
  }))
  const malformed = tools.flatMap(({ name }) => [
    { name, arguments: { 'no such argument': 1 } },
    { name, arguments: { response_format: 'no such format' } },
    { name, arguments: { station: '0000000', place: 'Nowhere at all' } },
  ])
  return [...asked, ...recorded, ...malformed]
}

// validated makes calls of all tools. An SDK rejects a call whose structured content its listed
// output schema does not accept, that of an error included.
async function validated(name, client, transport) {
  await client.connect(transport)
  const { tools } = await client.listTools()
  assert.ok(!JSON.stringify(tools).includes('"anyOf"'))
  assert.ok(tools.every(tool => tool.outputSchema?.type === 'object'))
  const counts = { results: 0, errors: 0 }
  for (const call of callsOf(tools)) {
    const result = await client.callTool(call)
    assert.equal(typeof result.structuredContent, 'object', JSON.stringify(call))
    counts[result.isError ? 'errors' : 'results'] += 1
  }
  await client.close()
  assert.ok(counts.results >= 80 && counts.errors >= 100, JSON.stringify(counts))
  console.log(`ok: ${name} validates ${counts.results} results and ${counts.errors} errors`)
}

for (const [name, client, transport, version] of clients) {
  await client.connect(transport)
  if (version) assert.equal(client.getNegotiatedProtocolVersion(), version)
  await drive(client)
  await client.close()
  console.log(`ok: ${name}`)
}
await planning()
const all = new URL(url)
all.searchParams.set('toolsets', 'core,planning')
await validated('sdk 1.32', new Client1(info), new HTTP1(all))
await validated('client 2.4', new Client2(info, auto), new HTTP2(all))
