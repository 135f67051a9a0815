import { newKey } from '../keys.ts'

/** For how long after a hosted page was opened a click means that page, in milliseconds: the browser is on its way there. */
const ON_THE_WAY_MS = 5_000

/** What is wanted, and how far it is. */
interface Click<Opened> {
  order: string
  key: string
  opening: Promise<Opened> | null
  opened: { page: Opened; at: number } | null
}

/**
 * Opens hosted pages for clicks, and goes to that of the last click. A click that means the same as the one before gets its page, and
 * one after a failure tries again under the same Idempotency-Key. One that means another page waits until that is open, since the
 * service closes a user's page when it opens the next.
 */
export function lastClickedPage<Opened>(goTo: (page: Opened) => void) {
  let last: Click<Opened> | null = null

  async function openFor(click: Click<Opened>, before: Click<Opened> | null, open: (key: string) => Promise<Opened>) {
    await before?.opening?.catch(() => undefined) // its own caller hears of that
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

  return (order: string, open: (key: string) => Promise<Opened>): Promise<Opened> => {
    const before = last
    const isSame = before?.order === order && !(before.opened && Date.now() > before.opened.at + ON_THE_WAY_MS)
    const click = isSame ? before : { order, key: newKey(), opening: null, opened: null }
    last = click
    if (click.opened) goTo(click.opened.page) // who has come back by the Back button is not on the way any more
    click.opening ??= openFor(click, isSame ? null : before, open)
    return click.opening
  }
}
