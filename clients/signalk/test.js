// Runs the plugin against the Leadline server at LEADLINE_URL. An object in place of the
// Signal K server records what the plugin publishes.
'use strict'
const assert = require('node:assert/strict')
const { createServer } = require('node:http')
const { test } = require('node:test')
const create = require('./index.js')

const url = process.env.LEADLINE_URL ?? assert.fail('LEADLINE_URL names the server')

// host returns a recorder for a boat at a position.
function host(position) {
  return {
    deltas: [],
    getSelfPath(path) {
      return path === 'navigation.position' && position ? { value: position } : undefined
    },
    handleMessage(id, delta) {
      this.deltas.push(delta)
    },
    setPluginStatus(text) {
      this.status = text
    },
    setPluginError(text) {
      this.error = text
    },
  }
}

// run starts a plugin, waits for its first update, and stops it.
async function run(position, settings) {
  const app = host(position)
  const plugin = create(app)
  plugin.start({ url, ...settings })
  await plugin.updated
  plugin.stop()
  return app
}

// valuesOf returns the published values by path.
function valuesOf(app) {
  assert.equal(app.error, undefined)
  assert.equal(app.deltas.length, 1)
  const [update] = app.deltas[0].updates
  const described = update.meta.map((m) => m.path)
  for (const { path } of update.values) assert.ok(described.includes(path), path)
  return Object.fromEntries(update.values.map(({ path, value }) => [path.split('.').pop(), value]))
}

test('the nearest station', async () => {
  const app = await run({ latitude: 42.355, longitude: -71.05 })
  const got = valuesOf(app)
  assert.equal(got.stationName, 'Boston')
  assert.match(app.status, /^Boston, \d+ km away: -?\d+\.\d m above MLLW, \w+\. /)
  assert.match(app.status, /Not for navigation/)
  // Tides of Boston are between 1 m below and 5 m above MLLW.
  for (const height of [got.heightNow, got.heightHigh, got.heightLow]) {
    assert.ok(height > -1 && height < 5, String(height))
  }
  assert.ok(got.heightHigh > got.heightLow)
  const times = [got.timeHigh, got.timeLow].map((t) => new Date(t).getTime())
  const now = new Date(app.deltas[0].updates[0].timestamp).getTime()
  for (const time of times) assert.ok(time > now && time < now + 26 * 3600e3)
  assert.match(got.timeHigh, /Z$/)
})

test('a station that the owner chose', async () => {
  const got = valuesOf(await run(undefined, { station: '9414290' }))
  assert.match(got.stationName, /San Francisco|Golden Gate/)
})

test('what fails is in the status', async () => {
  for (const [position, settings, want] of [
    [undefined, {}, /position of the boat is not known/],
    [{ latitude: NaN, longitude: 1 }, {}, /position of the boat is not known/],
    [{ latitude: 47, longitude: 8 }, {}, /no tide station is near/],
    [undefined, { station: 'ZZZZ9999' }, /ZZZZ9999/],
    [undefined, { station: '../../x' }, /x/],
    [undefined, { station: '1', url: 'http://127.0.0.1:1' }, /127.0.0.1:1 does not answer/],
  ]) {
    const app = await run(position, settings)
    assert.match(app.error, want)
    assert.equal(app.deltas.length, 0)
  }
})

test('a server that is none', async (t) => {
  const server = createServer((request, response) => response.end('<html>')).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const other = `http://127.0.0.1:${server.address().port}`
  const app = await run(undefined, { station: '8443970', url: other })
  assert.match(app.error, /answers with status 200/)
})

test('nothing is published after the plugin stops', async () => {
  const app = host({ latitude: 42.355, longitude: -71.05 })
  const plugin = create(app)
  plugin.start({ url })
  plugin.stop()
  await plugin.updated
  assert.deepEqual([app.deltas, app.status, app.error], [[], undefined, undefined])
})
