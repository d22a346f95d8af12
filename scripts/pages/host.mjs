// The page of a host that shows the App: AppBridge of ext-apps on one side of a sandboxed frame.
// app.mjs bundles it and drives it through window.host.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

const frame = document.querySelector('iframe')
let bridge

// record lists what the App sends: "initialized", sizes, and opened links.
const record = { initialized: 0, sizes: [], early: [], links: [], others: [] }

const isObject = v => typeof v === 'object' && v !== null

// Messages before "initialized" other than the handshake break the protocol.
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow || !isObject(data) || record.initialized) return
  if (!['ui/initialize', 'ui/notifications/initialized'].includes(data.method))
    record.early.push(data)
})

window.host = {
  record,

  // open loads the App in the frame and resolves after the handshake.
  open(capabilities, context) {
    bridge = new AppBridge(null, { name: 'leadline-check', version: '1' }, capabilities, {
      hostContext: context,
    })
    bridge.onsizechange = size => {
      record.sizes.push(size)
      if (size.height) frame.style.height = `${size.height}px`
    }
    bridge.onopenlink = async ({ url }) => {
      record.links.push(url)
      return {}
    }
    if (capabilities.serverTools) bridge.oncalltool = params => window.callTool(params)
    const ready = new Promise(resolve => {
      bridge.oninitialized = () => {
        record.initialized++
        resolve()
      }
    })
    frame.src = '/app'
    return bridge
      .connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
      .then(() => ready)
  },

  async give(input, result) {
    await bridge.sendToolInput({ arguments: input })
    await bridge.sendToolResult(result)
  },

  cancel: reason => bridge.sendToolCancelled({ reason }),
  context: context => bridge.setHostContext(context),
  close: () => bridge.teardownResource({}),

  // forge sends a message from another window than the parent of the App.
  forge(message) {
    const other = document.createElement('iframe')
    document.body.append(other)
    other.contentWindow.eval(`parent.frames[0].postMessage(${JSON.stringify(message)}, '*')`)
  },
}
