import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { parseOpened, press, startCheckout } from '../support/checkout.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const THANKS = 'https://owner.example/thanks'
const SORRY = 'https://owner.example/sorry'
const DOMAIN = `${randomUUID()}.example`

/** A checkout on a paywall with these pages, and with its own domain if there is one. */
async function start(pages: { success?: string; error?: string }, { domain, body }: { domain?: string; body: object }) {
  const settings = {
    tokenization_queries: [{ type: 'standard' }, { type: 'premium' }],
    ...(pages.success && { success_redirect_url: pages.success }),
    ...(pages.error && { error_redirect_url: pages.error }),
  }
  const shop = await newTenant(world, { settings, ...(domain && { domain }) })
  return startCheckout(world, { ...shop, body: { successUrl: undefined, errorUrl: undefined, ...body } })
}

describe('on a paywall with a domain, a buyer who did not pay is redirected', () => {
  const randomDomain = () => `${randomUUID()}.example`
  test.each([
    ['to its error page', { success: THANKS, error: SORRY }, randomDomain(), {}, SORRY],
    ['to its success page, if it has no error page', { success: THANKS }, randomDomain(), {}, THANKS],
    [
      "to its error page, whatever the call's successUrl",
      { error: SORRY },
      randomDomain(),
      { successUrl: THANKS },
      SORRY,
    ],
    ['to the front page of the domain, if it has neither', {}, DOMAIN, { successUrl: THANKS }, `https://${DOMAIN}/`],
  ])('%s', async (_where, pages, domain, body, location) => {
    const { checkoutUrl } = parseOpened(await start(pages, { domain, body }))
    const back = await call(world, await press(checkoutUrl, 'cancel'))
    expect(back).toMatchObject({ status: 303, headers: { location } })
  })

  test('to a front page that shows the paywall', async () => {
    expect(await call(world, `https://${DOMAIN}/`)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=UTF-8', 'x-request-id': expect.any(String) },
      body: expect.stringContaining('Test Paywall'),
    })
  })

  test('and one who paid to the thanks page of the domain, if the paywall has no success page', async () => {
    const domain = randomDomain()
    const { checkoutUrl } = parseOpened(await start({ error: SORRY }, { domain, body: {} }))
    const back = await call(world, await press(checkoutUrl, 'pay'))
    expect(back).toMatchObject({ status: 303, headers: { location: `https://${domain}/thanks` } })
    expect(await call(world, `https://${domain}/thanks`)).toMatchObject({
      status: 200,
      body: expect.stringContaining('Thank you!'),
    })
  })
})

test.each([
  ['both URLs', {}, 'successUrl, errorUrl'],
  ['successUrl', { errorUrl: SORRY }, 'successUrl'],
  ['errorUrl', { successUrl: THANKS }, 'errorUrl'],
])('without a domain %s must be passed, even if the paywall sets pages', async (_which, body, names) => {
  expect(await start({ success: THANKS, error: SORRY }, { body })).toMatchObject({
    status: 400,
    body: { error: 'Missing required parameters: successUrl, errorUrl', message: `Missing: ${names}` },
  })
})
