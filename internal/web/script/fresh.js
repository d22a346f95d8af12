// fresh.js brings late and newer parts.
{
  const all = (root, what) => [...root.querySelectorAll(what)]
  const plain = { createHTML: (html) => html }
  const policy = self.trustedTypes?.createPolicy('leadline', plain) ?? plain
  let pause = 1250

  // replace replaces a part by a newer one, with what somebody did to it.
  const replace = (old, part) => {
    const focus = document.activeElement
    old.replaceWith(part)
    dispatchEvent(new Event('replaced')) // for what other scripts add
    for (const kind of ['a', 'button', 'details', 'input', 'select', 'summary', '[tabindex]'])
      all(part, kind).forEach((now, i) => {
        const was = all(old, kind)[i] ?? {}
        if (was.open) now.open = true
        if (was.value) now.value = was.value
        if (was === focus) now.focus({ preventScroll: true })
      })
  }
  const read = (page) => {
    for (const part of all(page, '[data-part]')) {
      const old = document.querySelector(`[data-part=${part.dataset.part}]`)
      part.source = part.outerHTML
      if (old && old.source !== part.source) replace(old, part)
    }
    setTimeout(ask, page.querySelector('[data-waiting]') ? (pause *= 2) : 360_000)
  }
  const ask = async () => {
    if (document.hidden) return addEventListener('visibilitychange', ask, { once: true })
    const html = await fetch(location, { cache: 'no-store' }).then((r) => r.text()).catch(() => '')
    read(new DOMParser().parseFromString(policy.createHTML(html), 'text/html'))
  }
  read(document)
}
