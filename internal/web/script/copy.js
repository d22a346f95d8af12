// copy.js adds Copy buttons to code.
for (const pre of document.querySelectorAll('pre')) {
  const text = pre.textContent
  const button = Object.assign(document.createElement('button'), {
    textContent: 'Copy',
    onclick: async () => {
      const copied = navigator.clipboard.writeText(text).then(() => 'Copied', () => 'Not copied')
      button.textContent = await copied
    },
  })
  if (navigator.clipboard) pre.append(button)
}
