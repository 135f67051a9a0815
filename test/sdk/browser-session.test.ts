import { Paywall } from 'paywall-billing-sdk'
import { describe, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { endSession, readMailedCode, refresh, signInByMail } from '../support/sign-in.ts'
import { buyInTab, dropResponse, openTab, signInInTab, siteOfFile, type Tab } from '../support/site.ts'
import { emailIn, keep, keptIn, noting, refreshIn } from '../support/stored-session.ts'
import { randomImage } from '../support/tickets.ts'

const fixture = siteOfFile()

const open = (options?: string, path?: string) => openTab(fixture.site, fixture.context, path, options)

/** Signs in in the first tab. Resolves when the others show it. */
async function signInAll(tabs: Tab[]): Promise<string> {
  const email = await signInInTab(fixture.site, tabs[0]!)
  for (const tab of tabs) await expect.poll(() => emailIn(tab)).toBe(email)
  return email
}

describe('signing in', () => {
  test('with a mailed code, even in another tab, notifies every tab, as does signing out', async () => {
    const [tab, other] = [await open(), await open()]
    const email = newEmail()
    await tab.paywall.evaluate((paywall, address) => paywall.signIn(address), email)
    const again = await open()
    const code = await readMailedCode(fixture.site.world, email)
    await again.paywall.evaluate((paywall, digits) => paywall.confirm(digits).then(() => undefined), code)
    for (const each of [tab, other, again]) await expect.poll(() => emailIn(each)).toBe(email)
    for (const each of [tab, other, again]) expect(await each.reasons()).toEqual(['initial', 'signed_in'])
    const { refreshToken } = (await keptIn(again))!
    await other.paywall.evaluate((paywall) => paywall.signOut())
    for (const each of [tab, other, again]) await expect.poll(() => emailIn(each)).toBeNull()
    for (const each of [tab, other, again]) expect((await each.reasons()).at(-1)).toBe('signed_out')
    expect(await keptIn(other)).toBeNull()
    expect(await refresh(fixture.site.world, refreshToken), 'the service has ended it').toMatchObject({ status: 400 })
  })

  test('keeps what the anonymous user has bought', async () => {
    const bought = await buyInTab(fixture.site, await open())
    expect(await emailIn(bought)).toBe('anonymous')
    const email = await signInInTab(fixture.site, bought)
    expect(await bought.paywall.evaluate(({ user }) => [user?.user?.email, user?.paid])).toEqual([email, true])
  })

  test('restores a purchase from another browser', async () => {
    const email = newEmail()
    await buyInTab(fixture.site, await open(), { email })
    const elsewhere = await openTab(fixture.site, await fixture.site.browser.newContext())
    await elsewhere.paywall.evaluate((paywall, address) => paywall.restore(address), email)
    const code = await readMailedCode(fixture.site.world, email)
    await elsewhere.paywall.evaluate((paywall, digits) => paywall.confirm(digits).then(() => undefined), code)
    expect(await elsewhere.paywall.evaluate(({ user }) => [user?.user?.email, user?.paid])).toEqual([email, true])
    await elsewhere.page.context().close()
  })

  test('rejects a wrong code, and one that was not requested', async () => {
    const { paywall } = await open()
    const refused = (code: string) =>
      paywall.evaluate((opened, digits) => opened.confirm(digits).catch(({ code }) => code), code)
    expect(await refused('00000000')).toBe('no_code_sent')
    await paywall.evaluate((opened, address) => opened.signIn(address), newEmail())
    expect(await refused('00000000')).toBe('invalid_grant')
  })
})

describe('a session', () => {
  test('gives an access token for calls to the owner’s server, which learns from it who calls', async () => {
    const { key, paywall, url } = fixture.site.world
    const server = new Paywall({ key, paywall: paywall.id, baseUrl: url })
    const tab = await open()
    const readToken = () => tab.paywall.evaluate((opened) => opened.token())
    expect(await readToken(), 'nobody is signed in').toBeNull()
    const email = await signInInTab(fixture.site, tab)
    const token = await readToken()
    expect((await server.user({ token }))?.user.email).toBe(email)
    await keep(tab, { staleAt: 0 })
    const next = await readToken()
    expect(next, 'it is refreshed in time').toBe((await keptIn(tab))?.accessToken)
    expect((await server.user({ token: next }))?.user.email).toBe(email)
    expect((await keptIn(tab))!.staleAt).toBeGreaterThan(Date.now())
  })

  test('is refreshed by one tab for all', async () => {
    const tabs = [await open(), await open(), await open()]
    const email = await signInAll(tabs)
    await keep(tabs[0]!, { staleAt: 0 })
    const calls = noting(tabs[0]!, '/sign-in/token')
    expect(await Promise.all(tabs.map(refreshIn))).toEqual([email, email, email])
    expect(calls).toHaveLength(1)
    expect((await keptIn(tabs[0]!))!.staleAt).toBeGreaterThan(Date.now())
  })

  test('is refreshed by each tab if there are no Web Locks, and remains valid', async () => {
    await fixture.context.addInitScript('Object.defineProperty(Navigator.prototype, "locks", { value: undefined })')
    const tabs = [await open(), await open()]
    const email = await signInAll(tabs)
    const former = (await keptIn(tabs[0]!))!
    await keep(tabs[0]!, { staleAt: 0 })
    const calls = noting(tabs[0]!, '/sign-in/token')
    let resolveAll: (() => void) | undefined
    const all = new Promise<void>((resolve) => {
      resolveAll = resolve
    })
    await fixture.context.route('**/sign-in/token', async (route) => {
      if (calls.length === 2) resolveAll?.()
      await all
      await route.continue()
    })
    expect(await Promise.all(tabs.map(refreshIn))).toEqual([email, email])
    expect(calls).toHaveLength(2)
    const next = (await keptIn(tabs[1]!))!
    expect(next.refreshToken).not.toBe(former.refreshToken)
    await fixture.context.unroute('**/sign-in/token')
    await keep(tabs[1]!, { staleAt: 0 })
    expect(await refreshIn(tabs[1]!)).toBe(email)
  })

  test('is refreshed when an access token is refused, and the call is retried', async () => {
    const tab = await open()
    const email = await signInInTab(fixture.site, tab)
    await keep(tab, { accessToken: 'revoked' })
    expect(await refreshIn(tab)).toBe(email)
  })

  test('is refreshed again if the response was lost', async () => {
    const tab = await open()
    const email = await signInInTab(fixture.site, tab)
    await keep(tab, { staleAt: 0 })
    await fixture.context.route('**/sign-in/token', (route) => dropResponse(fixture.site, route), { times: 1 })
    expect(await refreshIn(tab)).toBe(email)
  })
})

test('a session that the service has ended notifies every tab', async () => {
  const [tab, other] = [await open(), await open()]
  const email = await signInInTab(fixture.site, tab)
  await expect.poll(() => emailIn(other)).toBe(email)
  await endSession(fixture.site.world, (await keptIn(tab))!.refreshToken)
  await keep(tab, { staleAt: 0 })
  expect(await refreshIn(tab)).toBeUndefined()
  for (const each of [tab, other]) {
    await expect.poll(async () => (await each.received()).at(-1)).toEqual({ user: null, isWaiting: false })
    expect((await each.reasons()).at(-1)).toBe('session_ended')
  }
  expect(await keptIn(tab)).toBeNull()
})

test('a storage passed by the page is used', async () => {
  const tab = await open('{ storage: sessionStorage }')
  await signInInTab(fixture.site, tab)
  expect(await tab.page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 1])
})

test('a `session` callback of the page provides the access token', async () => {
  const { user, token } = await signInByMail(fixture.site.world, newEmail())
  const tab = await open(`{ session: async () => window.signedOut ? null : '${token}' }`)
  expect(await emailIn(tab)).toBe(user.email)
  const failed = await tab.paywall.evaluate((paywall) => paywall.signOut().catch(({ code }) => code))
  expect(failed).toBe('session_elsewhere')
  await tab.page.evaluate('window.signedOut = true')
  expect(await refreshIn(tab)).toBeUndefined()
  expect(await emailIn(tab)).toBeNull()
})

test('a ticket with an image is opened by a signed-in user, or by a guest', async () => {
  const tab = await open()
  const { bytes, type } = randomImage()
  const ticket = { subject: 'It does not load', content: 'I paid.' }
  const openTicket = (more: { customer_email?: string }) =>
    tab.paywall.evaluate(
      (paywall, { order, base64, mime }) => {
        const file = new Blob([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], { type: mime })
        return paywall.ticket({ ...order, files: [file] }).catch(({ code }) => code)
      },
      { order: { ...ticket, ...more }, base64: Buffer.from(bytes).toString('base64'), mime: type },
    )
  expect(await openTicket({})).toBe('email_required')
  expect(await openTicket({ customer_email: newEmail() })).toMatchObject({ ticket: { status: 'open' } })
  await signInInTab(fixture.site, tab)
  expect(await openTicket({})).toMatchObject({ ticket: { status: 'open' } })
})
