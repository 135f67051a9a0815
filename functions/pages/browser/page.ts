// What pages do better with a script. All of it works without one.

for (const form of document.forms) form.addEventListener('submit', () => refuseMore(form))
for (const link of document.querySelectorAll<HTMLAnchorElement>('.toggle a')) {
  link.addEventListener('click', (event) => {
    event.preventDefault()
    showInterval(link)
  })
}
// The browser may show a page again as it was left: then its forms may be sent again.
addEventListener('pageshow', () => {
  for (const form of document.forms) form.inert = false
})

/** A form that is on its way cannot be sent a second time. */
function refuseMore(form: HTMLFormElement): void {
  // Only after the browser has gathered what is sent: an inert button is not.
  setTimeout(() => {
    form.inert = true
  })
}

/** Shows the prices of an interval instead of those of the others, as the link's address does. */
function showInterval(link: HTMLAnchorElement): void {
  for (const each of document.querySelectorAll('.toggle a')) {
    if (each === link) each.setAttribute('aria-current', 'true')
    else each.removeAttribute('aria-current')
  }
  const prices = [...document.querySelectorAll<HTMLElement>('.price')]
  for (const price of prices) {
    const { interval } = price.dataset
    price.hidden = interval !== undefined && interval !== link.dataset.interval
    findRadio(price).disabled = price.hidden
  }
  const shown = prices.filter((price) => !price.hidden).map(findRadio)
  const chosen = shown.find((radio) => radio.checked) ?? shown[0]
  if (chosen) chosen.checked = true
  history.replaceState(null, '', link.href)
}

function findRadio(price: HTMLElement): HTMLInputElement {
  const radio = price.querySelector('input')
  if (!radio) throw new Error('a price has nothing to choose it by')
  return radio
}
