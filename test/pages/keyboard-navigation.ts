import type { Locator, Page } from 'playwright-core'

/** The elements that the Tab key can reach, in document order: only one per group of radio buttons. */
const STOPS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, summary')].filter(
  (each) => each.checkVisibility() && !each.disabled && !each.closest('[inert]') && (each.type !== 'radio' || each.checked ||
    (each === document.querySelector('[name="' + each.name + '"]:enabled') && !document.querySelector('[name="' + each.name + '"]:checked'))))`

/** The keyboard focus: its index among the tab stops, -1 if it is none of them, and whether it is visible. */
const FOCUS = `(() => {
  const focused = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle((focused.type === 'radio' && focused.closest('.price')) || focused)
  const { top, bottom, width, height } = focused.getBoundingClientRect()
  return {
    index: ${STOPS}.indexOf(focused),
    html: focused.outerHTML.slice(0, 120),
    isVisible: outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0 && bottom > 0 && top < innerHeight,
  }
})()`

interface Focus {
  index: number
  html: string
  isVisible: boolean
}

const readFocus = (page: Page): Promise<Focus> => page.evaluate(FOCUS)

/** More tab stops than any page has. */
const MOST_STOPS = 60

/** Presses Tab through a whole page, and returns the faults: a trap, a wrong order, or an invisible focus. */
export async function faultsOnTheWay(page: Page): Promise<string[]> {
  const count: number = await page.evaluate(`${STOPS}.length`)
  await page.evaluate(
    'document.body.tabIndex = -1, document.body.focus(), document.body.removeAttribute("tabindex"), getSelection().removeAllRanges(), scrollTo(0, 0)',
  )
  const faults: string[] = []
  for (let index = 0; index < count; index += 1) {
    await page.keyboard.press('Tab')
    const focus = await readFocus(page)
    if (focus.index !== index) return [...faults, `Tab moves to ${focus.html} instead of stop ${index}`]
    if (!focus.isVisible) faults.push(`the focus is not visible on ${focus.html}`)
  }
  await page.keyboard.press('Tab')
  const { index, html } = await readFocus(page)
  return index > 0 ? [...faults, `Tab does not leave the page: it moves to ${html}`] : faults
}

/** Presses Tab until an element has the focus, which must be visible on it. */
export async function tabTo(element: Locator): Promise<void> {
  const page = element.page()
  await element.waitFor()
  for (let steps = 0; steps < MOST_STOPS; steps += 1) {
    await page.keyboard.press('Tab')
    if (await element.evaluate((each) => each === each.ownerDocument.activeElement)) {
      const { isVisible, html } = await readFocus(page)
      if (!isVisible) throw new Error(`the focus is not visible on ${html}`)
      return
    }
  }
  throw new Error(`Tab does not reach ${element}`)
}

/** Tabs to an element, and presses a key. */
export async function pressAt(element: Locator, key = 'Enter'): Promise<void> {
  await tabTo(element)
  await element.page().keyboard.press(key)
}

/** Tabs to a field, and types. */
export async function typeAt(element: Locator, text: string): Promise<void> {
  await tabTo(element)
  await element.page().keyboard.type(text)
}
