// Progressive enhancement of home's pages: live updates, forms that do not leave the page, and copy buttons.

const main = document.querySelector('main')
const announcer = document.createElement('p')
announcer.role = 'status'
announcer.className = 'unseen'
document.body.append(announcer)
const GONE = 'The local world does not respond. This page will update when it is back.'
const FOCUSABLE = 'a, button, input, select, summary, pre'

/** While a pointer button is down nothing is replaced: a click needs its element to exist until the button is released. */
let isPressed = false
let waiting

document.addEventListener('pointerdown', () => {
  isPressed = true
})
for (const end of ['pointerup', 'pointercancel']) {
  document.addEventListener(end, () => {
    isPressed = false
    setTimeout(() => !isPressed && waiting && show(waiting)) // after the click event
  })
}

/** Replaces the sections that have changed. Keeps open details, typed text and focus. */
function show(html) {
  waiting = isPressed ? html : undefined
  if (isPressed) return
  const next = new DOMParser().parseFromString(html, 'text/html').querySelector('main')
  if (!next) return
  const names = (parent) => [...parent.children].map(({ id }) => id).join()
  reveal(next)
  for (const details of main.querySelectorAll('details[open]')) {
    next.querySelector(`details[data-key="${CSS.escape(details.dataset.key)}"]`)?.setAttribute('open', '')
  }
  if (names(next) !== names(main)) return replace(main, next)
  for (const section of [...main.children]) {
    const other = [...next.children].find(({ id }) => id === section.id)
    if (other.outerHTML !== section.outerHTML) replace(section, other)
  }
  announce(latest()?.textContent ?? '')
}

const latest = () => main.querySelector('[data-latest]')

/** Shows why the page may be out of date. */
function showProblem(problem) {
  latest()?.replaceChildren(problem)
  announce(problem)
}

/** Announces a sentence to screen readers, only if it is new. */
function announce(sentence) {
  if (announcer.textContent !== sentence) announcer.textContent = sentence
}

function replace(old, other) {
  for (const field of old.querySelectorAll('[data-keep]')) {
    const same = findEntry(field, other)?.querySelector(`[name="${field.name}"][data-keep]`)
    if (same) same.value = field.value
  }
  const restoreFocus = prepareFocus(document.activeElement, old)
  old.replaceChildren(...other.childNodes)
  restoreFocus?.(old)
}

/** The counterpart in `root` of the entry that contains an element; `root` itself if no entry contains it. */
function findEntry(element, root) {
  const key = element.closest('[data-key]')?.dataset.key
  return key ? root.querySelector(`[data-key="${CSS.escape(key)}"]`) : root
}

/** Returns a function that focuses the same element after the replacement; undefined if the element is outside `within`. */
function prepareFocus(element, within) {
  if (!element || !within.contains(element) || element === within) return
  const index = [...findEntry(element, within).querySelectorAll(FOCUSABLE)].indexOf(element)
  return (root) => findEntry(element, root)?.querySelectorAll(FOCUSABLE)[index]?.focus({ preventScroll: true })
}

/** Shows the buttons that work with this script only. */
function reveal(root) {
  for (const button of root.querySelectorAll('[data-copy], [data-fold]')) button.hidden = false
}

async function copy(element, text) {
  await navigator.clipboard.writeText(text)
  const { textContent } = element
  element.textContent = 'Copied'
  setTimeout(() => {
    element.textContent = textContent
  }, 1500)
}

document.addEventListener('click', async (event) => {
  const element = event.target.closest('[data-copy], [data-copies], [data-fold]')
  if (!element) return
  event.preventDefault()
  const { copy: text, fold } = element.dataset
  if (text !== undefined) return copy(element, text)
  if (fold === undefined) return copy(element, await (await fetch(element.href)).text())
  for (const details of element.closest('section').querySelectorAll('.entry')) details.open = fold === 'open'
})

/** Submits these forms without leaving the page. */
document.addEventListener('submit', async (event) => {
  const form = event.target
  if (!('stay' in form.dataset)) return
  event.preventDefault()
  const button = event.submitter
  if (button.ariaDisabled) return
  button.ariaDisabled = 'true'
  try {
    const body = new URLSearchParams(new FormData(form, button))
    const response = await fetch(form.action, { method: 'POST', body })
    const text = await response.text()
    if (response.ok) show(text)
    else showProblem(text)
  } catch {
    showProblem(GONE)
  } finally {
    button.ariaDisabled = null
  }
})

if (main && 'live' in main.dataset) {
  const changes = new EventSource(`/live${location.pathname}${location.search}`)
  changes.addEventListener('message', ({ data }) => show(JSON.parse(data)))
  changes.addEventListener('render-error', ({ data }) =>
    showProblem(`This page cannot be updated: ${JSON.parse(data)}`),
  )
  changes.addEventListener('error', () => showProblem(GONE))
}
reveal(document)
