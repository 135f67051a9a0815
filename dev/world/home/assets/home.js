// Makes home's pages better than they are without a script: they follow what happens, keep their place, and copy.

const main = document.querySelector('main')
const announcer = document.createElement('p')
announcer.role = 'status'
announcer.className = 'unseen'
document.body.append(announcer)
const GONE = 'The local world does not answer. This page goes on when it does.'
const FOCUSABLE = 'a, button, input, select, summary, pre'

/** While a button of the pointer is down nothing is replaced: what it was pressed on must be there when it is let go. */
let isPressed = false
let waiting

document.addEventListener('pointerdown', () => {
  isPressed = true
})
for (const end of ['pointerup', 'pointercancel']) {
  document.addEventListener(end, () => {
    isPressed = false
    setTimeout(() => !isPressed && waiting && show(waiting)) // the click comes first
  })
}

/** Puts what has changed of a page in the place of what is shown. What is open, typed or focused stays so. */
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

/** Says why what is shown may not be what is. */
function tell(trouble) {
  latest()?.replaceChildren(trouble)
  announce(trouble)
}

/** Says a sentence to who does not see the page: only what is new, since the page is replaced in pieces. */
function announce(sentence) {
  if (announcer.textContent !== sentence) announcer.textContent = sentence
}

function replace(old, other) {
  for (const field of old.querySelectorAll('[data-keep]')) {
    const same = entryOf(field, other)?.querySelector(`[name="${field.name}"][data-keep]`)
    if (same) same.value = field.value
  }
  const focus = paywallTarget(document.activeElement, old)
  old.replaceChildren(...other.childNodes)
  focus?.(old)
}

/** What stands in `root` for the entry that an element is in; `root` itself for an element that is in none. */
function entryOf(element, root) {
  const key = element.closest('[data-key]')?.dataset.key
  return key ? root.querySelector(`[data-key="${CSS.escape(key)}"]`) : root
}

/** How to find an element again by the entry that it stands in and its place there; undefined if it is elsewhere. */
function paywallTarget(element, within) {
  if (!element || !within.contains(element) || element === within) return
  const index = [...entryOf(element, within).querySelectorAll(FOCUSABLE)].indexOf(element)
  return (root) => entryOf(element, root)?.querySelectorAll(FOCUSABLE)[index]?.focus({ preventScroll: true })
}

/** Buttons that do nothing without a script are hidden until there is one. */
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

/** What is done from here shows here: the page is not left, and keeps its place. */
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
    else tell(text)
  } catch {
    tell(GONE)
  } finally {
    button.ariaDisabled = null
  }
})

if (main && 'live' in main.dataset) {
  const changes = new EventSource(`/live${location.pathname}${location.search}`)
  changes.addEventListener('message', ({ data }) => show(JSON.parse(data)))
  changes.addEventListener('trouble', ({ data }) => tell(`What happens cannot be shown: ${JSON.parse(data)}`))
  changes.addEventListener('error', () => tell(GONE))
}
reveal(document)
