// try.js sends the request of a form and shows the response.
const form = document.querySelector('.try')
if (form) {
  // The recorded days are past: tomorrow, and those after it.
  let day = Date.now()
  form.hidden = false
  for (const e of form) {
    e.disabled = false
    if (e.rows)
      e.value = e.value.replace(/(?<=Date": ")[^"]*/g, () =>
        new Date((day += 864e5)).toISOString().slice(0, 10),
      )
  }
  form.onsubmit = async e => {
    e.preventDefault()
    const { verb: method, path } = form.dataset
    const sent = { path: {}, query: {}, headers: {}, key: {}, body: {} }
    for (const { name, value, dataset } of form) if (value) sent[dataset.in][name] = value
    const { headers, key, body } = sent
    if (key['']) headers.Authorization = 'Bearer ' + key['']
    if (body['']) headers['Content-Type'] = 'application/json'
    const query = new URLSearchParams(sent.query)
    let url = path.replace(/{(\w+)}/g, (_, n) => encodeURIComponent(sent.path[n]))
    if (query.size) url += '?' + query
    let text = ''
    try {
      const r = await fetch(url, { method, headers, body: body[''] })
      text = `${r.status} ${method} ${url}\n`
      for (const [k, v] of r.headers) if (/^x-[rq]|^ret/.test(k)) text += `${k}: ${v}\n`
      text += '\n' + JSON.stringify(await r.json(), null, 2)
    } catch (e) {
      text += e
    }
    form.nextElementSibling.textContent = text
  }
}
