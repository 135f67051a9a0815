// Purchases of an anonymous user are restored to whoever proves, with a mailed code, that they own the e-mail address given at the
// processor. Merely entering that address restores nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnonymousBuyer, anonymousBuyer, credit, openCheckout, payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { loseWebhooks } from '../support/lost-webhooks.ts'
import { mollieProcessor } from '../support/mollie-purchase.ts'
import {
  getGrant,
  parseChallenge,
  parseSession,
  refresh,
  requestCode,
  requestTokens,
  signInByMail,
  wrong,
} from '../support/sign-in.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

const OFFER = /A purchase was made on Test Paywall with this address/
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
const deadToken = { status: 401, body: { error: 'invalid_token' } }
const readState = (token: string) => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })

/** Creates an anonymous user who has bought the monthly price and entered that address on the hosted page. */
async function newBuyer(email: string, meta: Record<string, unknown> = {}): Promise<AnonymousBuyer> {
  const buyer = await anonymousBuyer(world, meta)
  await call(world, await payOnPage(buyer.checkoutUrl, email))
  await world.stripe.drainWebhooks()
  return buyer
}

/** The last mail to an address. */
const lastMailTo = (email: string) => world.mail.received.findLast(({ to }) => to === email)?.text ?? 'no mail'

describe('an anonymous buyer who signs in with the address given at the processor', () => {
  test('is offered its purchase in the mail with the code, and gets it back by signing in', async () => {
    const email = newEmail()
    const buyer = await newBuyer(`  ${email.toUpperCase()} `)
    await credit(world, buyer.user.id, 7)
    const before = await userState(world, buyer.user.id)
    expect(before).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })

    const grant = await getGrant(world, email)
    expect(lastMailTo(email)).toMatch(OFFER)
    expect(await readState(buyer.token)).toMatchObject({ status: 200 })
    const { user, token } = parseSession(await requestTokens(world, grant))
    expect(user).toMatchObject({ email })
    expect(await readState(token)).toMatchObject({ body: { paid: true, purchases: before.purchases } })
    expect(await verifiedBalances(world, user.id)).toEqual({ premium: 7, standard: 100 })

    expect(await readState(buyer.token)).toMatchObject(deadToken)
    const merged = { status: 400, body: { error: 'invalid_grant', reason: 'merged' } }
    expect(await refresh(world, buyer.refreshToken)).toMatchObject(merged)
    expect(await refresh(world, buyer.refreshToken), 'again').toMatchObject(merged)
    const forged = `${buyer.refreshToken.slice(0, -43)}${'A'.repeat(43)}`
    const { body } = await refresh(world, forged)
    expect(body, 'by its session id only').toEqual({ error: 'invalid_grant', message: expect.any(String) })
    await getGrant(world, email)
    expect(lastMailTo(email)).not.toMatch(OFFER)
  })

  test('gets it back even if only a webhook has reported the subscription', async () => {
    const email = newEmail()
    const buyer = await anonymousBuyer(world)
    world.stripe.holdWebhooks()
    await payOnPage(buyer.checkoutUrl, email)
    await world.stripe.sendHeldWebhooks((events) =>
      events.filter(({ type }) => type === 'customer.subscription.created'),
    )
    await loseWebhooks(world)
    await world.stripe.sendHeldWebhooks()
    const { token } = await signInByMail(world, email)
    expect(await readState(token)).toMatchObject({ body: { paid: true, purchases: [{ status: 'active' }] } })
  })

  test('stays the same user if it signs in with its token', async () => {
    const email = newEmail()
    const buyer = await newBuyer(email, { theme: 'dark' })
    const { user, token } = await signInByMail(world, email, { token: buyer.token })
    expect(user).toEqual({ ...buyer.user, email })
    expect(await readState(token)).toMatchObject({ body: { paid: true, meta: { theme: 'dark' } } })
    const { rows } = await world.database.query('select buyer_email from purchases where user_id = $1', [user.id])
    expect(rows).toEqual([{ buyer_email: null }])
  })

  test('gets several purchases back at once, merged into the known user of that address', async () => {
    const known = await signIn(world)
    const buyers = [await newBuyer(known.email), await newBuyer(known.email)]
    await openCheckout(world, known.token, { plan: 'old' })
    const { user, token } = await signInByMail(world, known.email)
    expect(user.id).toBe(known.id)
    expect(await readState(token)).toMatchObject({ body: { purchases: [{}, {}], meta: { plan: 'old' } } })
    expect(await verifiedBalances(world, user.id)).toMatchObject({ standard: 200 })
    for (const buyer of buyers) expect(await readState(buyer.token)).toMatchObject(deadToken)
  })
})

describe('a stranger who buys with the address of a victim', () => {
  test('learns nothing: sign-in/code returns the same as for any other address', async () => {
    const email = newEmail()
    await newBuyer(email)
    const [offered, other] = [await requestCode(world, email), await requestCode(world, newEmail())]
    const shape = ({ status, headers: { 'x-request-id': _, date: __, ...headers } }: typeof other) => ({
      status,
      headers,
    })
    expect(shape(offered)).toEqual(shape(other))
    expect(parseChallenge(offered)).toHaveLength(parseChallenge(other).length)
  })

  test('gains nothing: the victim keeps everything, the stranger’s tokens are refused and its meta is not merged', async () => {
    const victim = await signInByMail(world, newEmail())
    await credit(world, victim.user.id, 5)
    const stranger = await newBuyer(victim.user.email!, { role: 'admin' })
    await credit(world, stranger.user.id, 7)
    expect(await readState(stranger.token)).toMatchObject({ body: { user: { id: stranger.user.id, email: null } } })

    const again = await signInByMail(world, victim.user.email!)
    expect(again.user.id).toBe(victim.user.id)
    const { body } = await readState(again.token)
    expect(body).toMatchObject({ user: { id: victim.user.id }, paid: true, meta: {} })
    expect(JSON.stringify(body)).not.toContain('admin')
    expect(await verifiedBalances(world, victim.user.id)).toMatchObject({ premium: 12 })
    expect(await readState(stranger.token)).toMatchObject(deadToken)
    expect(await refresh(world, stranger.refreshToken)).toMatchObject(invalidGrant)
    expect(await refresh(world, victim.refreshToken)).toMatchObject({ status: 200 })
  })

  test('twelve times does not lock the victim out: ten purchases are restored at once, the rest at the next sign-in', async () => {
    const email = newEmail()
    const [one] = [await newBuyer(email)]
    await world.database.query(
      `with stranger as (insert into users (owner_id, is_test) select u.owner_id, u.is_test
           from users u, generate_series(1, 11) where u.id = $2 returning *),
         member as (insert into members (paywall_id, user_id, owner_id, is_test) select $1, id, owner_id, is_test from stranger returning user_id),
         checkout as (
           insert into checkouts (id, paywall_id, user_id, price_id, acquiring, trial_days, further_trial, success_url, error_url, return_origin)
           select gen_random_uuid(), c.paywall_id, m.user_id, c.price_id, c.acquiring, 0, false, '', '', ''
           from member m, checkouts c where c.user_id = $2 returning id, user_id, price_id)
       insert into purchases (paywall_id, user_id, checkout_id, price_id, acquiring, processor_id, status, begun, unit_amount,
         currency, cancel_at_period_end, fetched_at, buyer_email)
       select $1, c.user_id, c.id, c.price_id, 'stripe', 'sub_' || c.id, 'active', true, 1, 'USD', false, now(), $3
       from checkout c`,
      [world.paywall.id, one.user.id, email],
    )
    const first = await signInByMail(world, email)
    const readPurchases = async (token: string) =>
      ((await readState(token)).body as { purchases: unknown[] }).purchases.length
    expect(await readPurchases(first.token)).toBe(10)
    const second = await signInByMail(world, email)
    expect(await readPurchases(second.token)).toBe(12)
  })
})

describe('nothing is restored', () => {
  test.each<[string, (email: string) => Promise<unknown>]>([
    ['by a wrong code', async (email) => requestTokens(world, wrong(await getGrant(world, email)))],
    ["by an owner's exchange", (email) => signIn(world, { email })],
  ])('%s', async (_how, attempt) => {
    const email = newEmail()
    const buyer = await newBuyer(email)
    await attempt(email)
    expect(await readState(buyer.token)).toMatchObject({ body: { paid: true } })
  })

  test('if `restore` is false, and the next sign-in can still restore it', async () => {
    const email = newEmail()
    const buyer = await newBuyer(email)
    const without = parseSession(await requestTokens(world, { ...(await getGrant(world, email)), restore: false }))
    expect(await readState(without.token)).toMatchObject({ body: { paid: false, purchases: [] } })
    expect(await readState(buyer.token)).toMatchObject({ body: { paid: true } })
    const after = parseSession(await requestTokens(world, { ...(await getGrant(world, email)), restore: true }))
    expect(await readState(after.token)).toMatchObject({ body: { user: { id: without.user.id }, paid: true } })
  })

  test('by a code whose mail offered nothing, because the purchase was made after it', async () => {
    const email = newEmail()
    const grant = await getGrant(world, email)
    expect(lastMailTo(email)).not.toMatch(OFFER)
    const buyer = await newBuyer(email)
    parseSession(await requestTokens(world, grant))
    expect(await readState(buyer.token)).toMatchObject({ body: { paid: true } })
  })

  test('for a user who has an address and gave another one at the processor, which is not stored', async () => {
    const [known, email] = [await signIn(world), newEmail()]
    await call(world, await payOnPage(await openCheckout(world, known.token), email))
    await world.stripe.drainWebhooks()
    const { rows } = await world.database.query('select buyer_email from purchases where user_id = $1', [known.id])
    expect(rows).toEqual([{ buyer_email: null }])
    await getGrant(world, email)
    expect(lastMailTo(email)).not.toMatch(OFFER)
  })

  test('if the hosted page was left without a purchase', async () => {
    const email = newEmail()
    await anonymousBuyer(world)
    await getGrant(world, email)
    expect(lastMailTo(email)).not.toMatch(OFFER)
  })
})

test('a buyer who signs in with and without its token at once ends up as one user, without a deadlock', async () => {
  for (let round = 0; round < 4; round++) {
    const known = await signIn(world)
    const buyers = [await newBuyer(known.email), await newBuyer(known.email)]
    const grants = [
      await getGrant(world, known.email),
      await getGrant(world, known.email),
      await getGrant(world, known.email),
    ]
    const replies = await Promise.all([
      requestTokens(world, grants[0]!, { token: buyers[0]!.token }),
      requestTokens(world, grants[1]!, { token: buyers[1]!.token }),
      requestTokens(world, grants[2]!),
    ])
    for (const reply of replies) expect(parseSession(reply).user.id).toBe(known.id)
    expect((await userState(world, known.id)).purchases).toHaveLength(2)
    expect(await verifiedBalances(world, known.id)).toMatchObject({ standard: 200 })
  }
})

test('a purchase at Mollie is not restored, since Mollie reports no address', async () => {
  await world.close()
  world = await startTestWorld({ file: { paywall: { processor: mollieProcessor() } } })
  const email = newEmail()
  const buyer = await anonymousBuyer(world)
  await call(world, await payOnPage(buyer.checkoutUrl, email))
  await world.mollie.drainWebhooks()
  expect(await readState(buyer.token)).toMatchObject({ body: { paid: true } })
  const { rows } = await world.database.query('select buyer_email from purchases where user_id = $1', [buyer.user.id])
  expect(rows).toEqual([{ buyer_email: null }])
  await getGrant(world, email)
  expect(lastMailTo(email)).not.toMatch(OFFER)
})
