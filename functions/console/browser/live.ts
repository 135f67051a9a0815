// Keeps an open page up to date. Without this script a page shows what was there when it was loaded.

const REFRESH_MS = 5_000

const shown = document.querySelector<HTMLElement>('main[data-live]')
let last = shown && withoutKeys(shown.innerHTML)

setInterval(() => {
  if (shown && !document.hidden && !isInUse(shown)) void refresh(shown)
}, REFRESH_MS)

/** Whether somebody is filling in a form, has opened a fold, or has selected text: a new page would undo that. */
function isInUse(main: HTMLElement): boolean {
  const fields = [...main.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')]
  return (
    fields.some(({ value, defaultValue }) => value !== defaultValue) ||
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
  if (next === undefined || withoutKeys(next) === last || isInUse(main)) return
  main.innerHTML = next
  last = withoutKeys(next)
}

/** The page without the keys of its forms, which are different each time. */
function withoutKeys(html: string): string {
  return html.replaceAll(/name="key" value="[^"]*"/g, '')
}
