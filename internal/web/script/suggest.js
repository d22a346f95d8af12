// suggest.js suggests stations and places.
for (const input of document.querySelectorAll('#q, #find')) {
  const list = Object.assign(document.createElement('ul'), {
    id: input.id + '-list', role: 'listbox', ariaLabel: 'Places',
    onpointerdown: (e) => e.preventDefault(), // the field keeps the focus
    onclick: (e) => (location = e.target.page),
  })
  let active

  const choose = (row) => {
    active = row
    for (const other of list.children) other.ariaSelected = other === row
    input.setAttribute('aria-activedescendant', row?.id ?? '')
  }
  const show = (found) => {
    list.replaceChildren(...found.map((s, i) => Object.assign(document.createElement('li'), {
      id: list.id + i, role: 'option', page: s.page,
      textContent: [s.name, s.state, s.id, s.kind].filter(Boolean).join(', '),
    })))
    input.ariaExpanded = found.length > 0
    choose()
  }
  const type = async () => {
    const text = input.value, typing = () => input.matches(':focus') && input.value === text
    await new Promise((done) => setTimeout(done, 150))
    const found = typing() && text[1] && await fetch('/stations/suggest?q=' +
      encodeURIComponent(text)).then((r) => r.json()).catch(() => {})
    if (typing()) show(found?.length ? found : [])
  }
  const press = (e) => {
    const row = { ArrowDown: active?.nextSibling ?? list.firstChild,
      ArrowUp: active?.previousSibling ?? list.lastChild }[e.key]
    if (row) choose(row)
    else if (e.key === 'Enter' && active) active.click()
    else if (e.key === 'Escape' && list.firstChild) show([])
    else return
    e.preventDefault()
  }
  Object.assign(input, {
    type: 'text', role: 'combobox', ariaAutoComplete: 'list', oninput: type, onkeydown: press,
    onblur: () => show([]),
  })
  input.setAttribute('aria-controls', list.id)
  input.after(list)
  show([])
}
