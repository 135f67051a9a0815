import { expect } from 'vitest'
import type { Tab } from './site.ts'

/** The session as a tab stores it. */
export interface KeptTokens {
  accessToken: string
  refreshToken: string
  staleAt: number
}

const KEY = "Object.keys(localStorage).find((key) => key.endsWith(' session'))"

export const keptIn = ({ page }: Tab): Promise<KeptTokens | null> =>
  page.evaluate(`JSON.parse(localStorage.getItem(${KEY}))`)

/** Changes the stored session in all tabs. Waits for the other tabs, which read a change a moment later. */
export async function keep(tab: Tab, changed: Partial<KeptTokens>): Promise<void> {
  const text = JSON.stringify({ ...(await keptIn(tab)), ...changed })
  await tab.page.evaluate(`localStorage.setItem(${KEY}, ${JSON.stringify(text)})`)
  for (const page of tab.page.context().pages()) {
    await expect.poll(() => page.evaluate(`localStorage.getItem(${KEY})`)).toBe(text)
  }
}

/** The address of the signed-in user as a tab knows it, or `anonymous`; null: nobody is signed in. */
export const emailIn = ({ paywall }: Tab) => paywall.evaluate(({ user }) => user && (user.user?.email ?? 'anonymous'))

/** The address of the signed-in user, read again from the service; undefined: nobody is signed in. */
export const refreshIn = ({ paywall }: Tab) =>
  paywall.evaluate((opened) => opened.refresh().then((user) => user?.user?.email))

/** Records the body of each call to an endpoint of sign-in that the tabs of a context make from now on. */
export function noting({ page }: Tab, path: string): string[] {
  const calls: string[] = []
  page.context().on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith(path)) calls.push(request.postData() ?? '')
  })
  return calls
}
