// Keeps an open page up to date. Without this script a page shows what was there when it was loaded.

const REFRESH_MS = 5_000

const shown = document.querySelector<HTMLElement>('main[data-live]')
let last = shown?.innerHTML

setInterval(() => {
  if (shown && !document.hidden && !isInUse(shown)) void refresh(shown)
}, REFRESH_MS)

/** Whether somebody is filling in a form, has opened a fold, or has selected text: a new page would undo that. */
function isInUse(main: HTMLElement): boolean {
  return (
    main.contains(document.activeElement) ||
    main.querySelector('details[open]') !== null ||
    !getSelection()?.isCollapsed
  )
}

async function refresh(main: HTMLElement): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => null)
  if (!response?.ok || response.redirected) return
  const next = new DOMParser()
    .parseFromString(await response.text(), 'text/html')
    .querySelector('main[data-live]')?.innerHTML
  if (next === undefined || next === last || isInUse(main)) return
  main.innerHTML = next
  last = next
}
