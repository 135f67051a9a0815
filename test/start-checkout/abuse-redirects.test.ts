import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened } from '../support/checkout.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { newTenant, type Tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const OWN = 'https://shop.example/thanks'
const EVIL = 'https://evil.example/login'
const queries = { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] }
const listing = { ...queries, redirect_origins: ['https://shop.example', 'http://localhost:3000'] }

/** A shop with a domain of its own. */
const shopWith = (settings: Record<string, unknown> = queries) =>
  newTenant(world, { settings, domain: `${randomUUID()}.example` })

/** Starts a checkout as the owner if `key` is given, else as a new anonymous user; by default at the shop's own domain. */
async function start(
  { paywall }: Tenant,
  targets: { successUrl?: string; errorUrl?: string },
  { origin = `https://${paywall.domain}`, key }: { origin?: string; key?: string } = {},
) {
  const caller =
    key === undefined ? { token: (await signInAnonymously(world, { paywallId: paywall.id })).token } : { key }
  const body = { priceId: getPriceId(paywall, 'monthly'), ...targets, ...(key !== undefined && { email: newEmail() }) }
  return call(world, `${origin}/api/v1/paywall/${paywall.id}/start-checkout`, { ...caller, body })
}

/** Reads the confirmation page at a return URL: the host that it names, and the targets of its links. */
async function readConfirmation(url: string) {
  const { status, headers, body } = await call(world, url, { headers: { accept: 'text/html' } })
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: {
      'content-type': expect.stringContaining('text/html'),
      'cache-control': 'no-store',
      'referrer-policy': expect.stringMatching(/no-referrer|same-origin|strict-origin/),
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    },
  })
  const links = [...String(body).matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
  return { host: /<h1>Continue to (.*)\?<\/h1>/.exec(String(body))?.[1], links }
}

const invalidFormat = (name: 'successUrl' | 'errorUrl') => ({
  status: 400,
  body: { error: `Invalid ${name} format`, message: expect.stringContaining(name) },
})

describe('a paywall with redirect_origins', () => {
  test.each([
    ['a listed origin', 'https://shop.example/a?b=__SESSION__#c'],
    ['another listed origin, with a port', 'http://localhost:3000/'],
    ['a listed origin in capitals, with the default port', 'HTTPS://Shop.Example:443/a'],
  ])('lets a user return to %s', async (_, url) => {
    parseOpened(await start(await shopWith(listing), { successUrl: url, errorUrl: url }))
  })

  test('lets a user return to its site at the origin of the service, and to no other path there', async () => {
    const shop = await shopWith(listing)
    const site = `${world.url}/p/${shop.paywall.id}`
    parseOpened(await start(shop, { successUrl: `${site}/thanks?a=b#c`, errorUrl: site }))
    for (const url of [
      `${world.url}/`,
      `${world.url}/p/${world.paywall.id}/thanks`,
      `${site}7/thanks`,
      `${site}/../../r/${randomUUID()}/success`,
      `${site}/%2e%2e/%2E./r/${randomUUID()}/success`,
    ]) {
      expect(await start(shop, { successUrl: url, errorUrl: OWN }), url).toMatchObject(invalidFormat('successUrl'))
      expect(await start(shop, { successUrl: OWN, errorUrl: url }), url).toMatchObject(invalidFormat('errorUrl'))
    }
  })

  test.each([
    ['another site', EVIL],
    ['a user name before the host', 'https://shop.example@evil.example/'],
    ['a host that starts with a listed host', 'https://shop.example.evil.example/'],
    ['a host that ends with a listed host', 'https://evilshop.example/'],
    ['a subdomain of a listed host', 'https://evil.shop.example/'],
    ['a backslash', 'https://evil.example\\@shop.example/'],
    ['__SESSION__ in the host', 'https://shop.example__SESSION__/'],
    ['another port', 'https://shop.example:8443/'],
    ['another scheme', 'http://shop.example/'],
  ])('refuses %s', async (_, url) => {
    const shop = await shopWith(listing)
    const before = world.stripe.checkoutSessions.length
    for (const origin of [`https://${shop.paywall.domain}`, world.url]) {
      expect(await start(shop, { successUrl: url, errorUrl: OWN }, { origin })).toMatchObject(
        invalidFormat('successUrl'),
      )
      expect(await start(shop, { successUrl: OWN, errorUrl: url }, { origin })).toMatchObject(invalidFormat('errorUrl'))
    }
    expect(world.stripe.checkoutSessions.length).toBe(before)
  })

  test('refuses a host that ends with its domain or with the host of a page in its settings', async () => {
    const shop = await shopWith({ ...listing, success_redirect_url: 'https://thanks.example/ok' })
    for (const host of [shop.paywall.domain, 'thanks.example']) {
      for (const url of [`https://evil${host}/`, `https://evil.${host}/`]) {
        expect(await start(shop, { successUrl: url, errorUrl: OWN }), url).toMatchObject(invalidFormat('successUrl'))
        expect(await start(shop, { successUrl: OWN, errorUrl: url }), url).toMatchObject(invalidFormat('errorUrl'))
      }
    }
  })

  test('lets a user return to its domain and to the pages in its settings, and an owner to any URL', async () => {
    const pages = { success_redirect_url: 'https://thanks.example/ok', error_redirect_url: 'https://sorry.example/' }
    const shop = await shopWith({ ...listing, ...pages })
    const own = `https://${shop.paywall.domain}/account`
    parseOpened(await start(shop, { successUrl: own, errorUrl: 'https://sorry.example/again' }))
    parseOpened(await start(shop, { successUrl: 'https://thanks.example/you' }))
    parseOpened(await start(shop, {}))
    parseOpened(await start(shop, { successUrl: EVIL, errorUrl: EVIL }, { key: shop.key }))
  })
})

describe('a paywall without redirect_origins', () => {
  test('asks for confirmation of a URL that a user chose, and never does so on the owner’s domain', async () => {
    const shop = await shopWith()
    for (const origin of [`https://${shop.paywall.domain}`, world.url]) {
      const { checkoutUrl } = parseOpened(await start(shop, { successUrl: EVIL, errorUrl: EVIL }, { origin }))
      const back = new URL(await payOnPage(checkoutUrl))
      expect(back.origin).toBe(world.url)
      for (const outcome of ['success', 'error']) {
        const path = back.pathname.replace(/success$/, outcome)
        const onDomain = await call(world, `https://${shop.paywall.domain}${path}`)
        expect(onDomain).toMatchObject({ status: 404, body: { error: 'checkout_not_found' } })
      }
      expect(await readConfirmation(back.href)).toEqual({ host: 'evil.example', links: [EVIL] })
    }
  })

  test('asks for confirmation only for the URL that is foreign', async () => {
    const shop = await shopWith({ ...queries, error_redirect_url: OWN })
    const { checkoutUrl } = parseOpened(await start(shop, { successUrl: EVIL, errorUrl: OWN }, { origin: world.url }))
    const back = await payOnPage(checkoutUrl)
    expect(await readConfirmation(back)).toEqual({ host: 'evil.example', links: [EVIL] })
    const failed = await call(world, back.replace(/success$/, 'error'))
    expect(failed).toMatchObject({ status: 303, headers: { location: OWN } })
  })

  test('asks for confirmation at the host of the service if the paywall has no domain', async () => {
    const shop = await newTenant(world, { settings: queries, domain: null })
    const targets = { successUrl: `${EVIL}?"onclick=alert(1)&b=<script>__SESSION__`, errorUrl: EVIL }
    const { checkoutUrl } = parseOpened(await start(shop, targets, { origin: world.url }))
    const back = new URL(await payOnPage(checkoutUrl))
    const [, , checkoutId] = back.pathname.split('/')
    const href = `${EVIL}?%22onclick=alert(1)&b=%3Cscript%3E${checkoutId}`
    expect(await readConfirmation(back.href)).toEqual({ host: 'evil.example', links: [href] })
  })

  test("redirects without confirmation to its domain, its site, the pages in its settings, and any URL from an owner's call", async () => {
    const shop = await shopWith({ ...queries, success_redirect_url: OWN })
    const own = `https://${shop.paywall.domain}/account`
    const site = `${world.url}/p/${shop.paywall.id}/thanks`
    for (const url of [own, `${OWN}/again`, site]) {
      const { checkoutUrl } = parseOpened(await start(shop, { successUrl: url, errorUrl: url }, { origin: world.url }))
      expect(await call(world, await payOnPage(checkoutUrl))).toMatchObject({ status: 303, headers: { location: url } })
    }
    const targets = { successUrl: EVIL, errorUrl: EVIL }
    const { checkoutUrl } = parseOpened(await start(shop, targets, { origin: world.url, key: shop.key }))
    expect(await call(world, await payOnPage(checkoutUrl))).toMatchObject({ status: 303, headers: { location: EVIL } })
  })

  test('asks for confirmation of the return URL of another owner’s checkout, which may redirect anywhere', async () => {
    const stranger = await shopWith()
    const own = { successUrl: EVIL, errorUrl: EVIL }
    const theirs = parseOpened(await start(stranger, own, { origin: world.url, key: stranger.key }))
    const returnUrl = await payOnPage(theirs.checkoutUrl)
    expect(await call(world, returnUrl)).toMatchObject({ status: 303, headers: { location: EVIL } })

    const shop = await shopWith()
    const { checkoutUrl } = parseOpened(await start(shop, { successUrl: returnUrl, errorUrl: returnUrl }))
    const back = await payOnPage(checkoutUrl)
    expect(new URL(back).origin).toBe(world.url)
    expect(await readConfirmation(back)).toEqual({ host: new URL(world.url).host, links: [returnUrl] })
  })

  test('does not redirect from the owner’s domain to a host that ends with it', async () => {
    const shop = await shopWith()
    for (const host of [`evil${shop.paywall.domain}`, `evil.${shop.paywall.domain}`]) {
      const url = `https://${host}/`
      const { checkoutUrl } = parseOpened(await start(shop, { successUrl: url, errorUrl: url }))
      expect(new URL(await payOnPage(checkoutUrl)).origin, host).toBe(world.url)
    }
  })

  test('has its return URL on its domain if it redirects to its own pages, or if the owner started the checkout', async () => {
    const shop = await shopWith({ ...queries, success_redirect_url: OWN })
    const domain = `https://${shop.paywall.domain}`
    const own = parseOpened(await start(shop, { errorUrl: `${domain}/sorry` }))
    expect(new URL(await payOnPage(own.checkoutUrl)).origin).toBe(domain)
    const byOwner = parseOpened(await start(shop, { successUrl: EVIL, errorUrl: EVIL }, { key: shop.key }))
    expect(new URL(await payOnPage(byOwner.checkoutUrl)).origin).toBe(domain)
  })
})
