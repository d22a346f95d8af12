// near.js: adds a button that fills in the position of the device, rounded to a kilometer.
for (const row of document.querySelectorAll('#position')) {
  const button = document.createElement('button'), status = document.createElement('p')
  const form = document.querySelector('#near')
  const say = (text) => {
    status.textContent = `${text} Type the position, or find a station by its name.`
  }
  const failed = ({ code }) => say({
    1: 'The browser does not allow this page to read the position.',
    3: 'The device did not find its position in ten seconds.',
  }[code] ?? 'The device does not know its position.')
  const found = ({ coords }) => {
    form.lat.value = coords.latitude.toFixed(2)
    form.lon.value = coords.longitude.toFixed(2)
    form.submit()
  }
  button.type = 'button'
  button.textContent = 'Use my position'
  status.role = 'status'
  button.addEventListener('click', () => {
    status.textContent = ''
    if (!navigator.geolocation) return say('This browser cannot read the position.')
    const options = { timeout: 10_000, maximumAge: 600_000 }
    navigator.geolocation.getCurrentPosition(found, failed, options)
  })
  row.prepend(button)
  row.append(status)
}
