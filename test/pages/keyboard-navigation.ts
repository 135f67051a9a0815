import type { Locator, Page } from 'playwright-core'

/** What can be reached by the Tab key, in the order of the document: of a group of radio buttons only one can. */
const STOPS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, summary')].filter(
  (each) => each.checkVisibility() && !each.disabled && !each.closest('[inert]') && (each.type !== 'radio' || each.checked ||
    (each === document.querySelector('[name="' + each.name + '"]:enabled') && !document.querySelector('[name="' + each.name + '"]:checked'))))`

/** The keyboard focus: its index among the tab stops, -1 for none of them, and whether it is visible. */
const FOCUS = `(() => {
  const focused = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(focused.closest('.price') ?? focused)
  const { top, bottom, width, height } = focused.getBoundingClientRect()
  return {
    place: ${STOPS}.indexOf(focused),
    what: focused.outerHTML.slice(0, 120),
    isSeen: outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0 && bottom > 0 && top < innerHeight,
  }
})()`

interface Focus {
  place: number
  what: string
  isSeen: boolean
}

const readFocus = (page: Page): Promise<Focus> => page.evaluate(FOCUS)

/** More than any page has. */
const MOST_STOPS = 60

/** What is wrong with the way of the Tab key through a page, from its beginning to its end: a trap, a detour, or a focus that is not seen. */
export async function faultsOnTheWay(page: Page): Promise<string[]> {
  const count: number = await page.evaluate(`${STOPS}.length`)
  await page.evaluate('document.activeElement.blur(), getSelection().removeAllRanges(), scrollTo(0, 0)')
  const faults: string[] = []
  for (let place = 0; place < count; place += 1) {
    await page.keyboard.press('Tab')
    const focus = await readFocus(page)
    if (focus.place !== place) return [...faults, `the Tab key comes to ${focus.what} instead of stop ${place}`]
    if (!focus.isSeen) faults.push(`one does not see that the keyboard is at ${focus.what}`)
  }
  await page.keyboard.press('Tab')
  const { place, what } = await readFocus(page)
  return place > 0 ? [...faults, `the Tab key does not leave the page: it comes to ${what}`] : faults
}

/** Presses Tab until the keyboard is at an element. It must be seen at each stop. */
export async function tabTo(element: Locator): Promise<void> {
  const page = element.page()
  await element.waitFor()
  for (let steps = 0; steps < MOST_STOPS; steps += 1) {
    await page.keyboard.press('Tab')
    if (await element.evaluate((each) => each === each.ownerDocument.activeElement)) {
      const { isSeen, what } = await readFocus(page)
      if (!isSeen) throw new Error(`one does not see that the keyboard is at ${what}`)
      return
    }
  }
  throw new Error(`the Tab key does not come to ${element}`)
}

/** Goes to an element by the keyboard, and presses a key there. */
export async function pressAt(element: Locator, key = 'Enter'): Promise<void> {
  await tabTo(element)
  await element.page().keyboard.press(key)
}

/** Goes to a field by the keyboard, and types. */
export async function typeAt(element: Locator, text: string): Promise<void> {
  await tabTo(element)
  await element.page().keyboard.type(text)
}
