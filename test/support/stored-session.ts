import { expect } from 'vitest'
import type { Tab } from './site.ts'

/** What a tab keeps of the session. */
export interface KeptTokens {
  accessToken: string
  refreshToken: string
  staleAt: number
}

const KEY = "Object.keys(localStorage).find((key) => key.endsWith(' session'))"

export const keptIn = ({ page }: Tab): Promise<KeptTokens | null> =>
  page.evaluate(`JSON.parse(localStorage.getItem(${KEY}))`)

/** Changes what is kept of the session, in all tabs: what one writes is read by the others a moment later. */
export async function keep(tab: Tab, changed: Partial<KeptTokens>): Promise<void> {
  const text = JSON.stringify({ ...(await keptIn(tab)), ...changed })
  await tab.page.evaluate(`localStorage.setItem(${KEY}, ${JSON.stringify(text)})`)
  for (const page of tab.page.context().pages()) {
    await expect.poll(() => page.evaluate(`localStorage.getItem(${KEY})`)).toBe(text)
  }
}

/** Who is signed in in a tab, as it knows; null: nobody. */
export const emailIn = ({ paywall }: Tab) => paywall.evaluate(({ user }) => user && (user.user?.email ?? 'anonymous'))

/** Who is signed in in a tab, read anew; undefined: nobody. */
export const refreshIn = ({ paywall }: Tab) =>
  paywall.evaluate((opened) => opened.refresh().then((user) => user?.user?.email))

/** Notes each call of an endpoint of sign-in that the tabs of a context make from now on. */
export function noting({ page }: Tab, path: string): string[] {
  const calls: string[] = []
  page.context().on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith(path)) calls.push(request.postData() ?? '')
  })
  return calls
}
