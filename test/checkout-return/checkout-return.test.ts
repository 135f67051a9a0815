import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail, type Opened, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

/** Webhooks are held: what is stored here was stored by checkout-return. */
beforeAll(() => {
  world.stripe.holdWebhooks()
})

async function checkout(): Promise<Opened> {
  return parseOpened(
    await startCheckout(world, { paywall: world.paywall, key: world.key, body: { email: newEmail() } }),
  )
}

/** Both return URLs of the hosted page. */
async function returnUrls({ checkoutUrl }: Opened) {
  const error = await press(checkoutUrl, 'cancel')
  return { error, success: error.replace(/error$/, 'success') }
}

test('success: redirects to successUrl with the checkout id, and the purchase is already stored', async () => {
  const order = await checkout()
  const returnUrl = await press(order.checkoutUrl, 'pay')
  expect(new URL(returnUrl).origin).toBe(world.url)
  const id = /\/r\/([^/]+)\/success$/.exec(returnUrl)?.[1]

  const reply = await call(world, returnUrl)
  expect(reply).toMatchObject({ status: 303, headers: { location: `https://owner.example/thanks?session=${id}` } })
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(await userState(world, order.userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
})

test('success again: redirects to the same URL, and stores nothing more', async () => {
  const order = await checkout()
  const returnUrl = await press(order.checkoutUrl, 'pay')
  const [first, second] = [await call(world, returnUrl), await call(world, returnUrl)]
  expect([second.status, second.headers.location]).toEqual([303, first.headers.location])
  expect((await userState(world, order.userId)).purchases).toHaveLength(1)
  const { rows } = await world.database.query('select type from events where user_id = $1 order by sequence', [
    order.userId,
  ])
  expect(rows).toEqual([{ type: 'checkout.completed' }, { type: 'subscription.created' }])
})

test('error: redirects to errorUrl, and stores nothing', async () => {
  const order = await checkout()
  const { error } = await returnUrls(order)
  const id = /\/r\/([^/]+)\/error$/.exec(error)?.[1]
  expect(await call(world, error)).toMatchObject({
    status: 303,
    headers: { location: `https://owner.example/sorry?session=${id}` },
  })
  expect(await userState(world, order.userId)).toMatchObject({ paid: false, purchases: [] })
})

test('success without a payment: redirects to errorUrl, and stores nothing', async () => {
  const order = await checkout()
  const { success } = await returnUrls(order)
  expect(await call(world, success)).toMatchObject({
    status: 303,
    headers: { location: expect.stringMatching(/^https:\/\/owner\.example\/sorry/) },
  })
  expect(await userState(world, order.userId)).toMatchObject({ paid: false, purchases: [] })
})

test.each(['success', 'error'] as const)(
  '%sUrl: redirects to an ASCII URL, with nothing escaped twice',
  async (outcome) => {
    const url = 'https://owner.example/ünï 😀%20\\x/__SESSION__?a=b c&d=é%20__SESSION__#ß'
    const body = { [`${outcome}Url`]: url }
    const order = parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key, body }))
    const returnUrl = await press(order.checkoutUrl, outcome === 'success' ? 'pay' : 'cancel')
    const id = returnUrl.split('/').at(-2)
    const location = `https://owner.example/%C3%BCn%C3%AF%20%F0%9F%98%80%20/x/${id}?a=b%20c&d=%C3%A9%20${id}#%C3%9F`
    expect(await call(world, returnUrl)).toMatchObject({ status: 303, headers: { location } })
  },
)

test('HEAD responds like GET', async () => {
  const { success } = await returnUrls(await checkout())
  expect(await call(world, success, { method: 'HEAD' })).toMatchObject({ status: 303, body: '' })
})

describe('a processor that fails', () => {
  const thanks = { status: 303, headers: { location: expect.stringMatching(/^https:\/\/owner\.example\/thanks/) } }

  test('slow: the browser is redirected within 3 s, and the purchase is stored when the reply arrives', async () => {
    const order = await checkout()
    const returnUrl = await press(order.checkoutUrl, 'pay')
    const answer = Promise.withResolvers<void>()
    world.stripe.onCall = async (_call, run) => {
      await answer.promise
      return run()
    }
    const startedAt = Date.now()
    expect(await call(world, returnUrl)).toMatchObject(thanks)
    expect(Date.now() - startedAt).toBeLessThan(3_000)
    expect((await userState(world, order.userId)).purchases).toEqual([])

    world.stripe.onCall = undefined
    answer.resolve()
    await expect.poll(async () => (await userState(world, order.userId)).paid, { timeout: 10_000 }).toBe(true)
  })

  test.each([
    ['down', [500, 500]],
    ['refusing our credentials', [401]],
    ['returning an invalid response', [200]],
  ])(
    '%s: the browser is redirected to successUrl, and a visit five seconds later stores the purchase',
    async (_name, statuses) => {
      const order = await checkout()
      const returnUrl = await press(order.checkoutUrl, 'pay')
      const pageId = new URL(order.checkoutUrl).pathname.split('/').at(-1)
      for (const status of statuses) world.stripe.failNext(`/v1/checkout/sessions/${pageId}`, status)
      expect(await call(world, returnUrl)).toMatchObject(thanks)
      expect((await userState(world, order.userId)).purchases).toEqual([])
      await world.database.query("update checkouts set asked_at = asked_at - interval '5 seconds'")
      expect(await call(world, returnUrl)).toMatchObject(thanks)
      expect(await userState(world, order.userId)).toMatchObject({ paid: true })
    },
  )
})

test('redirects to the URLs of the checkout, even if the paywall has changed since', async () => {
  const shop = tenant(await paywallFile())
  await world.apply(shop.file)
  const order = parseOpened(await startCheckout(world, shop))
  const returnUrl = await press(order.checkoutUrl, 'pay')
  const settings = { ...shop.paywall.settings, success_redirect_url: 'https://new.example/' }
  await world.apply({ ...shop.file, keys: [], paywalls: [{ ...shop.paywall, settings, prices: [] }] })
  expect(await call(world, returnUrl)).toMatchObject({
    status: 303,
    headers: { location: expect.stringMatching(/owner\.example\/thanks/) },
  })
})
