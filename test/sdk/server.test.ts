import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Paywall, PaywallError } from 'paywall-billing-sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { newEmail, press } from '../support/checkout.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { randomImage } from '../support/tickets.ts'
import { until } from '../support/until.ts'
import { type TestWorld, useTestWorld } from '../support/world.ts'

let paywall: Paywall
const settings = { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] }
const prices = [
  monthly({ features: ['export'] }),
  yearly(),
  monthly({ slug: 'team', amount: 29.99, processorPrice: 'price_team' }),
]
const world = useTestWorld({ file: { paywall: { settings, prices } } })
beforeAll(async () => {
  paywall = new Paywall({ key: world.key, paywall: world.paywall.id, baseUrl: world.url })
})

const targets = { successUrl: 'https://owner.example/thanks', errorUrl: 'https://owner.example/sorry' }

/** Checkout options for the monthly price. */
const order = (email = newEmail()) => ({ email, price: 'monthly', ...targets })

/** Buys the monthly price as a new user. */
async function buyAsNewUser() {
  const email = newEmail()
  const { checkoutUrl, userId } = await paywall.checkout(order(email))
  await press(checkoutUrl, 'pay')
  await until('the purchase', async () => (await paywall.user({ email }))?.paid)
  return { email, userId }
}

const readError = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error as PaywallError,
  )

describe('an owner’s server', () => {
  test('previews a change of plan, and charges what it has shown', async () => {
    const { email } = await buyAsNewUser()
    const { quote, due_now, to } = await paywall.previewPlanChange({ email, price: 'team' })
    expect([due_now.currency, to.price_slug]).toEqual(['USD', 'team'])
    expect(await paywall.changePlan({ email, price: 'team', quote })).toMatchObject({ checkoutUrl: null })
    await until(
      'the change is stored',
      async () => (await paywall.user({ email }))?.purchases[0]?.price_slug === 'team',
    )
    const used = await readError(paywall.changePlan({ email, price: 'monthly', quote }))
    expect(used).toMatchObject({ code: 'quote_expired', status: 409 })
  })

  test('refunds a payment, and throws what is left of it', async () => {
    const { email } = await buyAsNewUser()
    const purchaseId = (await paywall.user({ email }))?.purchases[0]?.id ?? ''
    const key = 'refund-7'
    const part = await paywall.refundPurchase({ purchaseId, amount: 400 }, { key })
    expect(part).toMatchObject({ refund: { amount: 400, status: 'succeeded' }, purchase: { id: purchaseId } })
    expect(await paywall.refundPurchase({ purchaseId, amount: 400 }, { key })).toEqual(part)
    const tooMuch = await readError(paywall.refundPurchase({ purchaseId, amount: 600 }))
    expect(tooMuch).toMatchObject({ code: 'refund_exceeds_payment', details: { available: 599 } })
  })

  test('ends a purchase once', async () => {
    const { email } = await buyAsNewUser()
    const purchaseId = (await paywall.user({ email }))?.purchases[0]?.id ?? ''
    const ended = await paywall.endPurchase({ purchaseId, reason: 'pays by invoice now' })
    expect(ended).toMatchObject({ stopped: true, purchase: { id: purchaseId, status: 'canceled' } })
    const again = await readError(paywall.endPurchase({ purchaseId }))
    expect(again).toMatchObject({ code: 'purchase_ended', details: { status: 'canceled' } })
  })

  test('reads all events page by page, and those after a stored cursor', async () => {
    const { userId } = await buyAsNewUser()
    const read = async (after?: string) => {
      const pages = []
      for await (const page of paywall.events({ after })) pages.push(page)
      return { events: pages.flatMap(({ events }) => events), cursor: pages.at(-1)?.cursor }
    }
    const first = await read()
    const types = first.events.flatMap(({ type, data }) => (data.user.id === userId ? [type] : []))
    expect(types).toEqual(expect.arrayContaining(['subscription.created', 'payment.succeeded', 'checkout.completed']))
    const { userId: next } = await buyAsNewUser()
    const { events } = await read(first.cursor)
    expect(new Set(events.map(({ data }) => data.user.id))).toEqual(new Set([next]))
    const error = await readError(paywall.events({ after: 'no cursor' }).next())
    expect(error).toMatchObject({ status: 400, code: 'invalid_cursor' })
  })

  test('sells a price by its slug, reads the purchase, opens the portal and cancels', async () => {
    const { email, userId } = await buyAsNewUser()
    const user = await paywall.user({ userId })
    expect(user).toMatchObject({ paid: true, purchases: [{ price_slug: 'monthly' }] })
    expect([user?.can('export'), user?.can('import')]).toEqual([true, false])
    expect([user?.balance('standard'), user?.balance('nothing')]).toEqual([100, 0])
    expect(await paywall.portal({ email })).toContain(world.stripe.url)
    const subscriptionId = user!.purchases[0]!.id
    const cancelled = await paywall.cancel({ email, subscriptionId, reason: 'too expensive' })
    expect(cancelled).toMatchObject({ success: true, subscription: { cancel_at_period_end: true } })
  })

  test('can send a user’s IP address, whose country is then used instead of its own', async () => {
    const { userId } = await buyAsNewUser()
    expect(await paywall.user({ userId })).toMatchObject({ country: 'US' })
    expect(await paywall.user({ userId }, { clientIp: '10.0.0.1' })).toMatchObject({ country: 'XX' })
  })

  test('gets null for an unknown user', async () => {
    expect(await paywall.user({ email: newEmail() })).toBeNull()
    expect(await paywall.user({ userId: randomUUID() })).toBeNull()
  })

  test('opens one page for one key, which can be any text', async () => {
    const options = order()
    const [first, second] = [
      await paywall.checkout(options, { key: 'cart 7' }),
      await paywall.checkout(options, { key: 'cart 7' }),
    ]
    expect(second).toEqual(first)
    expect(await paywall.checkout(options)).not.toEqual(first)
  })

  test('changes a balance once per key, and gets the number of tokens', async () => {
    const { userId } = await buyAsNewUser()
    const debit = () => paywall.debit({ userId }, 'standard', 30, { key: 'job-42' })
    expect(await Promise.all([debit(), debit(), debit()])).toMatchObject([{ count: 70 }, { count: 70 }, { count: 70 }])
    expect(await paywall.credit({ userId }, 'premium', 3)).toMatchObject({ type: 'premium', count: 3 })
    expect(await paywall.withdraw({ user_id: userId, tokens: 1 }, { key: 'job-43' })).toEqual({
      success: true,
      remaining: 69,
    })
    const error = await readError(paywall.debit({ userId }, 'standard', 1000))
    expect(error).toBeInstanceOf(PaywallError)
    expect(error).toMatchObject({ status: 400, code: 'insufficient', details: { available: 69 } })
    expect(error?.requestId).toMatch(/^[\da-f-]{36}$/)
  })

  test('gives access once per key, and takes it back', async () => {
    const { userId } = await buyAsNewUser()
    const endsAt = new Date(Date.now() + 400 * 24 * 3600 * 1000)
    const give = (key: string, end = {}) =>
      paywall.createGrant({ userId, price: 'monthly', reason: 'Friend', endsAt, ...end }, { key })
    const [{ grant }, again] = await Promise.all([give('apology 1'), give('apology 1')])
    expect(again.grant).toEqual(grant)
    expect(grant).toMatchObject({ price_slug: 'monthly', ends_at: endsAt.toISOString(), ended_at: null })
    await give('apology 2', { endsAt: undefined, days: 1 })
    const user = await paywall.user({ userId })
    expect(user).toMatchObject({ paid: true, access_until: grant.ends_at, grants: [{ id: grant.id }, {}] })
    expect(await paywall.endGrant({ grant: grant.id, reason: 'Given by mistake' })).toMatchObject({
      user_id: userId,
      grant: { id: grant.id, ended_at: expect.any(String) },
    })
    expect(await readError(paywall.endGrant({ grant: userId }))).toMatchObject({ status: 404, code: 'grant_not_found' })
  })

  test('opens tickets with and without an image, and signs in a user', async () => {
    const { bytes, type } = randomImage()
    const files = [new Blob([bytes], { type })]
    const guest = { customer_email: newEmail(), subject: 'It does not load', content: 'I paid.' }
    expect(await paywall.ticket({ ...guest, files })).toMatchObject({ ticket: { status: 'open' } })
    expect(await paywall.ticket(guest)).toMatchObject({ ticket: { status: 'open' } })
    const tokens = await paywall.signIn({ email: newEmail(), external_id: randomUUID() })
    expect(tokens).toMatchObject({ token_type: 'Bearer', access_token: expect.any(String) })
  })

  test('reads bootstrap again when its cached price id is retired', async () => {
    const staleId = `price_${'0'.repeat(24)}`
    let reads = 0
    /** The first bootstrap has an old price id. */
    const staleFirstBootstrap: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      if (!response.url.endsWith('/bootstrap')) return response
      reads += 1
      const text = await response.text()
      return new Response(reads === 1 ? text.replaceAll(/price_[\da-f]{24}/g, staleId) : text, response)
    }
    const sdk = new Paywall({
      key: world.key,
      paywall: world.paywall.id,
      baseUrl: world.url,
      fetch: staleFirstBootstrap,
    })
    expect(await sdk.checkout(order())).toMatchObject({ acquiring: 'stripe' })
    expect(await sdk.checkout(order())).toMatchObject({ acquiring: 'stripe' })
    expect(reads).toBe(2)
    expect(await readError(sdk.checkout({ ...order(), price: 'weekly' }))).toMatchObject({ code: 'unknown_price' })
  })

  test('gets the status and the details of a refusal', async () => {
    const stranger = new Paywall({ key: 'pk_test_nobodys', paywall: world.paywall.id, baseUrl: world.url })
    expect(await readError(stranger.user({ email: newEmail() }))).toMatchObject({ status: 401, name: 'PaywallError' })
    const { email } = await buyAsNewUser()
    const again = await readError(paywall.checkout(order(email)))
    expect(again).toMatchObject({ status: 409, details: { hasActivePurchase: true } })
  })

  test('sends the version of the SDK', async () => {
    const { sdk_version: version } = getRequests(world).find(({ sdk_version: each }) => each) ?? {}
    const packageJson = readFileSync(new URL('../../sdk/package.json', import.meta.url), 'utf8')
    expect(version).toBe(`paywall-billing-sdk ${JSON.parse(packageJson).version}`)
  })
})

const getRequests = ({ logs }: TestWorld) =>
  logs.flatMap(({ message }) => (message.startsWith('{') ? [JSON.parse(message)] : []))
