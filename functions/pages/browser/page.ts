// Progressive enhancement: every page works without this script.
import { reportToEmbedder } from './embedded.ts'

for (const form of document.forms) form.addEventListener('submit', () => preventDoubleSubmit(form))
for (const link of document.querySelectorAll<HTMLAnchorElement>('.toggle a')) {
  link.addEventListener('click', (event) => {
    event.preventDefault()
    showInterval(link)
  })
}
reportToEmbedder()
// The browser may restore a page from its back/forward cache: its forms may then be submitted again.
addEventListener('pageshow', () => {
  for (const form of document.forms) form.inert = false
})

function preventDoubleSubmit(form: HTMLFormElement): void {
  // Deferred until the browser has collected the form's data, because it leaves out an inert submit button.
  setTimeout(() => {
    form.inert = true
  })
}

/** Shows the prices of one interval only, as following the link would. */
function showInterval(link: HTMLAnchorElement): void {
  for (const each of document.querySelectorAll('.toggle a')) {
    if (each === link) each.setAttribute('aria-current', 'true')
    else each.removeAttribute('aria-current')
  }
  const prices = [...document.querySelectorAll<HTMLElement>('.price')]
  for (const price of prices) {
    const { interval } = price.dataset
    price.hidden = interval !== undefined && interval !== link.dataset.interval
    const radio = price.querySelector('input')
    if (radio) radio.disabled = price.hidden
  }
  const shown = prices.flatMap((price) => (price.hidden ? [] : (price.querySelector('input') ?? [])))
  const chosen = shown.find((radio) => radio.checked) ?? shown[0]
  if (chosen) chosen.checked = true
  history.replaceState(null, '', link.href)
}
