// curve.js reads values off a chart.
{
  const add = (svg) => {
    const over = svg.parentNode, box = svg.viewBox.baseVal, d = svg.dataset
    const current = d.kind === 'current'
    const line = svg.querySelector('.l')

    // yAt searches the line, which runs from left to right.
    const yAt = (x) => {
      let at = 0, y
      for (let step = line.getTotalLength() / 2; step > 0.01; step /= 2) {
        const p = line.getPointAtLength(at + step)
        if (p.x < x) at += step
        y = p.y
      }
      return y
    }

    const show = (on) => {
      const x = +d.x0 + (d.x1 - d.x0) * (knob.value - d.from) / (d.to - d.from)
      const y = yAt(x)
      const v = +d.v0 + d.dv * y, digits = d.unit === 'm' ? 2 : 1
      const value = (current ? Math.abs(v) : +v.toFixed(digits) || 0).toFixed(digits)
      const time = new Date(knob.value * 1000).toLocaleTimeString('en', {
        weekday: 'short', hour: 'numeric', minute: '2-digit', timeZone: d.zone,
        hourCycle: d.clock > 12 ? 'h23' : 'h12',
      })
      knob.ariaValueText = `${time}, predicted ${value.replace('-', '−')} ${d.unit}`
      if (current) knob.ariaValueText += v < 0 ? ' ebb' : ' flood'
      tip.textContent = knob.ariaValueText
      over.style.setProperty('--x', 100 * x / box.width + '%')
      over.style.setProperty('--y', 100 * y / box.height + '%')
      over.classList.toggle('on', on)
    }
    const leave = () => show(knob.matches(':focus'))
    const tip = document.createElement('div')
    const knob = Object.assign(document.createElement('input'), {
      type: 'range', min: d.from, max: d.to, step: 360, value: Date.now() / 1000,
      ariaLabel: `Predicted ${d.kind}`,
      oninput: () => show(true), onfocus: leave, onblur: leave, onpointerleave: leave,
      onpointerup: () => knob.focus(), // as browsers do for a mouse, but not for a finger
      onpointermove: (e) => {
        knob.value = +d.from + (d.to - d.from) * e.offsetX / knob.clientWidth
        show(true)
      },
      onkeydown: (e) => {
        const hour = { PageUp: 10, PageDown: -10, ArrowRight: e.shiftKey * 10,
          ArrowLeft: e.shiftKey * -10 }
        if (hour[e.key]) {
          e.preventDefault()
          knob.stepUp(hour[e.key])
        }
        show(e.key !== 'Escape')
      },
    })
    knob.style.left = 100 * d.x0 / box.width + '%'
    knob.style.width = 100 * (d.x1 - d.x0) / box.width + '%'
    over.append(knob, tip)
    show(false)
  }
  const addAll = () => document.querySelectorAll('[data-v0]:not(:has(~ input))').forEach(add)
  addAll()
  addEventListener('replaced', addAll)
}
