// Progressive enhancement: every page works without this script.
import { reportToEmbedder } from './embedded.ts'

for (const form of document.forms) form.addEventListener('submit', () => preventDoubleSubmit(form))
for (const link of document.querySelectorAll<HTMLAnchorElement>('.toggle a')) {
  link.addEventListener('click', (event) => {
    event.preventDefault()
    showInterval(link)
  })
}
for (const input of document.querySelectorAll<HTMLInputElement>('.units input[type=number]')) {
  // The form of a change of plan shows no total: a change is quoted only when it is asked for.
  if (input.form?.querySelector('[data-total]')) input.addEventListener('input', () => showTotal(input))
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
    for (const input of price.querySelectorAll<HTMLInputElement>('[type=radio], [type=number]'))
      input.disabled = price.hidden
  }
  const shown = prices.flatMap((price) => (price.hidden ? [] : (price.querySelector('input') ?? [])))
  const chosen = shown.find((radio) => radio.checked) ?? shown[0]
  if (chosen) chosen.checked = true
  history.replaceState(null, '', link.href)
}

/** The latest request for a total: only its response is shown. */
let latest: AbortController | undefined

/**
 * Shows what the entered number of units costs, and chooses its price. If that fails, the page shows the total before it sells, as it does
 * without a script.
 */
async function showTotal(input: HTMLInputElement): Promise<void> {
  const radio = input.closest('.price')?.querySelector<HTMLInputElement>('[type=radio]')
  if (radio) radio.checked = true
  const { form } = input
  latest?.abort()
  if (!form || !input.validity.valid) return
  const request = new AbortController()
  latest = request
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]))
  body.set('action', 'units')
  try {
    const response = await fetch(form.getAttribute('action') ?? '', { method: 'POST', body, signal: request.signal })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const shown = [...document.querySelectorAll('[data-total]')]
    const totals = [...page.querySelectorAll('[data-total]')]
    if (shown.length !== totals.length) return
    for (const [index, each] of shown.entries()) each.replaceWith(totals[index] ?? each)
  } catch (error) {
    if (!request.signal.aborted) console.error(error)
  }
}
