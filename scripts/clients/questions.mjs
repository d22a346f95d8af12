// Asks the questions of e2e/questions.json with the TypeScript SDK and checks the
// results: node questions.mjs URL PROVIDERS_URL. URL is the MCP endpoint of a running
// leadline that has not sent requests yet, PROVIDERS_URL the simulator that it uses.
//
// Two readers look for the facts of each question: one in the text alone, one in the structured
// content alone, since clients show a model one of the two. Neither knows the tool. Exact values
// are compared with the full result.
//
// It prints a row for each question: its number, text, calls, and tokens of text, counted
// as characters / 4. It fails if a fact is not found, if the questions take more calls or tokens
// than allowed, or if the table of docs/agents.md differs from the rows.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const allowed = { questions: 60, calls: 72, text: 12_400, json: 14_000 }
// Texts change with the clock, those of the simulator most: the rows of a day, the words
// of a forecast.
const drift = { row: 30, simulated: 200, total: 0.1 }

const [url, providers] = process.argv.slice(2)
const root = new URL('../../', import.meta.url)
const { simulator, questions } = JSON.parse(readFileSync(new URL('e2e/questions.json', root)))

// tomorrow is a day that is in the future wherever the question is about.
const tomorrow = new Date(Date.now() + 36 * 3600e3).toISOString().slice(0, 10)
const dated = value => JSON.parse(JSON.stringify(value).replaceAll('{tomorrow}', tomorrow))

async function set({ set, to }) {
  const response = await fetch(new URL(`/-/${set}`, providers), {
    method: 'POST',
    body: JSON.stringify(to),
  })
  assert.ok(response.ok, `${set} ${JSON.stringify(to)}: ${await response.text()}`)
}

const clients = new Map()

// connected returns the client of a tool set; without one it has the default tools.
async function connected(toolsets) {
  if (!clients.has(toolsets)) {
    const at = new URL(url)
    if (toolsets) at.searchParams.set('toolsets', toolsets)
    const client = new Client(
      { name: 'leadline-questions', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    )
    await client.connect(new StreamableHTTPClientTransport(at))
    clients.set(toolsets, client)
  }
  return clients.get(toolsets)
}

// pointed returns the value at a JSON pointer, undefined if there is none.
function pointed(value, pointer) {
  for (const part of pointer.split('/').slice(1)) value = value?.[part]
  return value
}

// equals compares a value with the expected one: numbers within a tolerance, times
// within minutes, others exactly. An expected null matches a value that is absent.
function equals(got, { is, within }) {
  if (within === undefined) return JSON.stringify(got ?? null) === JSON.stringify(is)
  if (typeof is === 'number') return typeof got === 'number' && Math.abs(got - is) <= within
  return Math.abs(Date.parse(got) - Date.parse(is)) <= within * 60e3
}

// said returns what a JSON value says, in lines: a list of plain values is one, as the row of a
// table, and so is each other value.
function said(value) {
  if (value === null || typeof value !== 'object') return [String(value)]
  const parts = Object.values(value)
  const plain = Array.isArray(value) && parts.every(v => v === null || typeof v !== 'object')
  const row = plain ? [parts.filter(v => v !== null).join(' ')] : []
  return [...row, ...parts.flatMap(said)]
}

// stated returns the facts of a call, each as a pattern that a line must match: those of the
// question, and of the full result its station, datum, unit, zone and what is missing.
function stated(call, full) {
  const words = (...list) => list.filter(Boolean).map(word => RegExp.escape?.(word) ?? quoted(word))
  const facts = [...(call.text ?? [])]
  if (call.error) return facts
  facts.push(...words(full.station?.id, full.datum, full.timeZone))
  if (full.heightUnit) facts.push({ ft: '(ft|feet)\\b', m: '(m|meters)\\b' }[full.heightUnit])
  if (['kn', 'cm/s', 'm/s'].includes(full.speedUnit)) facts.push(full.speedUnit)
  for (const { input } of full.missing ?? []) facts.push(...words(input))
  return facts
}

const quoted = word => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

// faults returns what is wrong with the result of a call.
function faults(call, result, full) {
  const code = result.isError ? (result.structuredContent?.error?.code ?? 'error') : undefined
  const list = []
  if (code !== call.error) list.push(`expected ${call.error ?? 'no error'}, got ${code}`)
  const halves = {
    text: result.content[0].text.replaceAll('\\', '').split('\n'),
    JSON: said(result.structuredContent).map(line => line.replaceAll('\\', '')),
  }
  for (const [half, lines] of Object.entries(halves)) {
    for (const pattern of stated(call, full)) {
      if (!lines.some(line => new RegExp(pattern).test(line)))
        list.push(`expected ${half} with ${pattern}`)
    }
  }
  for (const value of call.values ?? []) {
    const got = pointed(full, value.at)
    if (equals(got, value)) continue
    const within = value.within === undefined ? '' : ` within ${value.within}`
    list.push(
      `expected ${JSON.stringify(value.is)}${within} at ${value.at}, got ${JSON.stringify(got)}`,
    )
  }
  return list
}

// ask makes the calls of a question and returns its tokens and what is wrong.
async function ask({ calls }) {
  let [tokens, json] = [0, 0]
  const wrong = []
  for (const call of dated(calls)) {
    const client = await connected(call.toolsets)
    const result = await client.callTool({ name: call.tool, arguments: call.arguments })
    const full = await client.callTool({
      name: call.tool,
      arguments: { ...call.arguments, view: 'full' },
    })
    tokens += result.content[0].text.length / 4
    json += JSON.stringify(result.structuredContent).length / 4
    const list = faults(call, result, full.structuredContent ?? {})
    if (list.length > 0) {
      const asked = `${call.tool} ${JSON.stringify(call.arguments)}`
      wrong.push(`${asked}\n  ${list.join('\n  ')}\n${result.content[0].text}`)
    }
  }
  return { tokens, json, wrong }
}

// documented returns the tokens in the table of docs/agents.md, a number for each question.
// A Go test compares its other columns.
function documented() {
  const page = readFileSync(new URL('docs/agents.md', root), 'utf8')
  const rows = page.split('\n').filter(row => /^\| \d+ \|/.test(row))
  return rows.map(row => Number(row.split('|').at(-2)))
}

for (const setting of simulator) await set(setting)
const rows = []
const wrong = []
for (const [i, question] of questions.entries()) {
  const asked = await ask(question)
  rows.push({ ...question, tokens: asked.tokens, json: asked.json })
  wrong.push(...asked.wrong.map(fault => `${i + 1}. ${question.question}\n${fault}`))
  const tools = [...new Set(question.calls.map(call => call.tool))].join(', ')
  const tokens = Math.round(asked.tokens)
  console.log(`| ${i + 1} | ${question.question} | ${tools} | ${question.calls.length} | ${tokens} |`)
}
for (const client of clients.values()) await client.close()

const calls = rows.reduce((sum, row) => sum + row.calls.length, 0)
const tokens = rows.reduce((sum, row) => sum + row.tokens, 0)
const json = rows.reduce((sum, row) => sum + row.json, 0)
for (const fault of wrong) console.error(`${fault}\n`)
assert.equal(wrong.length, 0, `${wrong.length} calls had another result than expected`)
assert.equal(rows.length, allowed.questions)
assert.ok(calls <= allowed.calls, `${calls} calls, at most ${allowed.calls} are allowed`)
assert.ok(tokens <= allowed.text, `${tokens} tokens of text, at most ${allowed.text} are allowed`)
assert.ok(json <= allowed.json, `${json} tokens of JSON, at most ${allowed.json} are allowed`)

const table = documented()
for (const [i, row] of rows.entries()) {
  const most = row.source.includes('simulator') ? drift.simulated : drift.row
  assert.ok(
    Math.abs(table[i] - row.tokens) <= most,
    `docs/agents.md says ${table[i]} tokens for question ${i + 1}, it took ${row.tokens}`,
  )
}
const sum = table.reduce((sum, tokens) => sum + tokens, 0)
assert.ok(
  Math.abs(sum - tokens) <= drift.total * tokens,
  `the rows of docs/agents.md have ${sum} tokens, the questions took ${tokens}`,
)
console.log(
  `ok: ${rows.length} questions, ${calls} calls, ${Math.round(tokens)} tokens of text, ` +
    `${Math.round(json)} of JSON`,
)
