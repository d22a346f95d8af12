// A plugin for Signal K servers: tides at the position of the boat, from a Leadline server. It
// publishes the paths of environment.tide, in meters and UTC, and nothing else.
'use strict'

const contract = '2026-07-09'
const mostBytes = 1 << 20
const kilometers = (meters) => Math.round(meters / 1000)

// The paths, with what displays need to know of them.
const meta = [
  { path: 'environment.tide.heightNow', value: { units: 'm', description: 'Tide over the datum' } },
  { path: 'environment.tide.heightHigh', value: { units: 'm', description: 'Next high water' } },
  { path: 'environment.tide.heightLow', value: { units: 'm', description: 'Next low water' } },
  { path: 'environment.tide.timeHigh', value: { description: 'Time of the next high water' } },
  { path: 'environment.tide.timeLow', value: { description: 'Time of the next low water' } },
  { path: 'environment.tide.stationName', value: { description: 'Station that is predicted' } },
]

module.exports = (app) => {
  let timer
  let running

  const plugin = {
    id: 'signalk-leadline',
    name: 'Leadline tides',
    description: 'Publishes the tide of the nearest station, from a Leadline server.',
    schema: {
      type: 'object',
      required: ['url'],
      properties: {
        url: {
          type: 'string',
          title: 'Address of the Leadline server',
          default: 'http://127.0.0.1:8080',
        },
        station: {
          type: 'string',
          title: 'Station, such as 8443970; empty for the nearest one',
        },
        minutes: { type: 'number', title: 'Minutes between updates', default: 5, minimum: 1 },
      },
    },

    start(settings) {
      running = new AbortController()
      const { signal } = running
      const update = async () => {
        try {
          app.setPluginStatus(await publish(settings, signal))
        } catch (error) {
          if (!signal.aborted) app.setPluginError(error.message)
        }
      }
      plugin.updated = update() // for tests
      timer = setInterval(update, Math.max(1, settings.minutes || 5) * 60_000)
    },

    stop() {
      clearInterval(timer)
      running?.abort()
    },
  }

  // publish publishes the tide and returns a sentence about it.
  async function publish(settings, signal) {
    const ask = (path) => get(settings.url, path, signal)
    const station = settings.station ? { id: settings.station } : await nearest(ask)
    const tide = await ask(
      `/api/v1/stations/${encodeURIComponent(station.id)}/predictions?hours=48&units=metric`,
    )
    const high = tide.extremes.find((e) => e.type === 'high' && after(e, tide.now))
    const low = tide.extremes.find((e) => e.type === 'low' && after(e, tide.now))
    const values = [
      ['heightNow', tide.now.height],
      ['heightHigh', high?.height],
      ['timeHigh', high && utc(high.time)],
      ['heightLow', low?.height],
      ['timeLow', low && utc(low.time)],
      ['stationName', tide.station.name],
    ]
    app.handleMessage(plugin.id, {
      updates: [
        {
          timestamp: utc(tide.now.time),
          values: values
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => ({ path: `environment.tide.${name}`, value })),
          meta,
        },
      ],
    })
    const away = station.meters === undefined ? '' : `, ${kilometers(station.meters)} km away`
    return `${tide.station.name}${away}: ${tide.now.height.toFixed(1)} m above ${tide.datum}, ` +
      `${tide.now.state}. Planning aid only. Not for navigation.`
  }

  // nearest returns the tide station nearest to the boat.
  async function nearest(ask) {
    const at = app.getSelfPath('navigation.position')?.value
    if (!Number.isFinite(at?.latitude) || !Number.isFinite(at?.longitude)) {
      throw new Error('the position of the boat is not known')
    }
    const found = await ask(
      `/api/v1/stations/nearest?lat=${at.latitude}&lon=${at.longitude}&type=tidepredictions`,
    )
    if (found.stations.length === 0) throw new Error('no tide station is near the boat')
    const [first] = found.stations
    return { id: first.id, meters: first.distanceKm * 1000 }
  }

  return plugin
}

const after = (event, now) => new Date(event.time) > new Date(now.time)
const utc = (time) => new Date(time).toISOString()

// get asks the server and returns the body. Errors carry the sentence of the server.
async function get(base, path, signal) {
  const response = await fetch(new URL(path, base), {
    headers: { Accept: 'application/json', 'Leadline-Version': contract },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  }).catch((error) => {
    throw new Error(`${base} does not answer: ${error.cause?.message ?? error.message}`)
  })
  const text = await response.text()
  let body
  try {
    body = text.length > mostBytes ? undefined : JSON.parse(text)
  } catch {}
  if (response.ok && body) return body
  throw new Error(body?.error?.message ?? `${base} answers with status ${response.status}`)
}
