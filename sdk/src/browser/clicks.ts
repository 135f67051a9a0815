import { newKey } from '../keys.ts'

/** How long after a hosted page was opened another click reuses it, in milliseconds: the browser is still navigating. */
const NAVIGATION_MS = 5_000

/** What was clicked, as text, and the state of its hosted page. */
interface Click<Opened> {
  request: string
  key: string
  opening: Promise<Opened> | null
  opened: { page: Opened; at: number } | null
}

/**
 * Opens hosted pages on clicks, and navigates to the one of the last click. A repeated click reuses the page of the one before; after a
 * failure it retries with the same Idempotency-Key. A click on something else waits for the previous page to open, because the service
 * closes a user's page when it opens the next.
 */
export function lastClickedPage<Opened>(goTo: (page: Opened) => void) {
  let last: Click<Opened> | null = null

  async function openFor(click: Click<Opened>, before: Click<Opened> | null, open: (key: string) => Promise<Opened>) {
    await before?.opening?.catch(() => undefined) // reported to its own caller
    try {
      const page = await open(click.key)
      click.opened = { page, at: Date.now() }
      if (click === last) goTo(page)
      return page
    } catch (error) {
      click.opening = null
      throw error
    }
  }

  return (request: string, open: (key: string) => Promise<Opened>): Promise<Opened> => {
    const before = last
    const isSame = before?.request === request && !(before.opened && Date.now() > before.opened.at + NAVIGATION_MS)
    const click = isSame ? before : { request, key: newKey(), opening: null, opened: null }
    last = click
    if (click.opened) goTo(click.opened.page) // the buyer may have returned by the Back button
    click.opening ??= openFor(click, isSame ? null : before, open)
    return click.opening
  }
}
