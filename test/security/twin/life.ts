// The actions of an owner, its users, guests and processors, in this order. All names are the same for each owner.
import { randomUUID } from 'node:crypto'
import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import { type Buyer, cancelThroughApi, open, order, pay } from '../../conformance/buyer.ts'
import { payOnPage } from '../../support/anonymous.ts'
import { type Call, call, type Reply } from '../../support/call.ts'
import { getPriceId, parseOpened, startCheckout } from '../../support/checkout.ts'
import { createGrant, endGrant, parseGranted } from '../../support/grant-calls.ts'
import {
  endSession,
  getGrant,
  parseSession,
  refresh,
  requestCode,
  requestTokens,
  signInAnonymously,
  signInByMail,
  wrong,
} from '../../support/sign-in.ts'
import { at } from '../../support/tenants.ts'
import { MESSAGE, randomImage, sendForm, ticketForm } from '../../support/tickets.ts'
import { changeBalance, withdraw } from '../../support/token-calls.ts'
import { until } from '../../support/until.ts'
import { useConsole } from './console.ts'
import type { Act, Owner } from './owner.ts'
import { WAITING } from './pending.ts'
import { ANN, BOB, CARL, DORA, EVE } from './people.ts'

const IGNORING_ACTIVE_PURCHASE = { ignoreActivePurchase: true }
const EXTERNAL_ID = 'customer 7'
const newIdempotencyKey = () => ({ 'idempotency-key': randomUUID() })
/** Idempotency keys that both owners use. */
const [ORDER, CREDIT, GRANT, CHANGE] = [
  newIdempotencyKey(),
  newIdempotencyKey(),
  newIdempotencyKey(),
  newIdempotencyKey(),
]

async function expectStatus(request: Promise<Reply>, status = 200): Promise<Reply> {
  const reply = await request
  if (reply.status !== status) throw new Error(`expected status ${status}: ${JSON.stringify(reply)}`)
  return reply
}

const ask = ({ world, shops }: Owner, endpoint: string, options: Call = {}) =>
  call(world, at(shops.stripe, endpoint), options)

const emailAt = (acquiring: ProcessorName) => `${acquiring}@buyers.dev`

/** A buyer at a processor. */
const buyerAt = (me: Owner, acquiring: ProcessorName): Buyer => me.buyers[emailAt(acquiring)]!

const REFUSAL = '{"error":{"type":"api_error"}}'

/** Runs `work` while the processor rejects each POST to a path that matches. */
async function whileRefused(me: Owner, path: RegExp, work: () => Promise<unknown>): Promise<void> {
  me.world.stripe.onCall = async (called, run) =>
    called.method === 'POST' && path.test(called.path) ? { status: 503, headers: {}, body: REFUSAL } : run()
  try {
    await work()
  } finally {
    me.world.stripe.onCall = undefined
  }
}

/** From the first visit to the first purchases. */
export const FIRST_ACTIONS: Record<string, Act> = {
  bootstrap: (me) => expectStatus(ask(me, 'bootstrap')),
  'finding a paywall by its domain': ({ world, shops }) =>
    expectStatus(call(world, `https://${shops.stripe.paywall.domain}/api/v1/paywall`)),
  'a wrong sign-in code, then the right one': async (me) => {
    const grant = await getGrant(me.world, ANN)
    await expectStatus(requestTokens(me.world, wrong(grant)), 400)
    me.sessions[ANN] = parseSession(await requestTokens(me.world, grant))
  },
  'an anonymous user': async (me) => {
    me.sessions.anonymous = await signInAnonymously(me.world)
  },
  'an exchange with an external id': (me) =>
    expectStatus(ask(me, 'sign-in/exchange', { key: me.key, body: { email: BOB, external_id: EXTERNAL_ID } })),
  'a refresh': async (me) => {
    me.sessions[ANN] = parseSession(await refresh(me.world, me.sessions[ANN]!.refreshToken))
  },
  'a sign-out': async (me) => endSession(me.world, (await signInByMail(me.world, CARL)).refreshToken),
  'a sign-in code that is never used': async (me) => {
    me.grant = await getGrant(me.world, CARL)
  },
  'a sign-in code whose mail cannot be sent': async ({ world }) => {
    const consumed = async () => {
      const { rows } = await world.database.query("select sum(consumed) from rate_limits where name = 'address mail'")
      return rows[0].sum
    }
    const before = await consumed()
    world.mail.onMail = () => {
      throw new Error('no such mailbox')
    }
    await expectStatus(requestCode(world, DORA))
    await until('the mail is refunded', async () => (await consumed()) === before)
    world.mail.onMail = undefined
  },
  'user state in bootstrap': (me) => expectStatus(ask(me, 'bootstrap', { token: me.sessions[ANN]!.token })),
  'a malformed body with an owner key': (me) => expectStatus(ask(me, 'balances', { key: me.key, body: '{' }), 400),
  "a guest's ticket": (me) =>
    expectStatus(sendForm(me.world, ticketForm({ ...MESSAGE, customer_email: ANN }, [randomImage()]))),
  "a user's ticket": (me) =>
    expectStatus(sendForm(me.world, ticketForm(MESSAGE, [randomImage()]), { token: me.sessions[ANN]!.token })),
  'a checkout that the processor refuses': (me) =>
    whileRefused(me, /checkout/, () => expectStatus(order(me.shops.stripe, 'monthly', { email: BOB }), 502)),
  'a checkout page that is replaced by another one': async (me) => {
    const order = { paywall: me.shops.stripe.paywall, token: me.sessions[ANN]!.token, headers: ORDER }
    const body = { priceId: getPriceId(order.paywall, 'monthly'), userMeta: { theme: 'dark' } }
    await expectStatus(startCheckout(me.world, { ...order, body }))
    await expectStatus(startCheckout(me.world, { ...order, body })) // a replay
    const page = parseOpened(await startCheckout(me.world, { ...order, headers: newIdempotencyKey(), body }))
    await until('the first page is closed', async () => {
      const { rowCount } = await me.world.database.query(
        `select from checkouts c where c.paywall_id = $1 and c.user_id = $2 and c.reconcile_at is not null`,
        [order.paywall.id, page.userId],
      )
      return rowCount === 1
    })
  },
  'anonymous purchases with an e-mail address': async (me) => {
    const { paywall } = me.shops.stripe
    for (const email of [DORA, BOB]) {
      const session = await signInAnonymously(me.world)
      const body = { priceId: getPriceId(paywall, 'monthly') }
      const page = parseOpened(await startCheckout(me.world, { paywall, token: session.token, body }))
      await call(me.world, await payOnPage(page.checkoutUrl, email))
    }
  },
  ...Object.fromEntries(
    PROCESSOR_NAMES.map((acquiring) => [
      `a purchase at ${acquiring}`,
      async (me: Owner) => {
        const email = emailAt(acquiring)
        const buyer = await open(me.shops[acquiring], 'monthly', { email, body: { userMeta: { role: 'user' } } })
        me.buyers[email] = buyer
        await pay(buyer)
      },
    ]),
  ),
  'a purchase with an offer': async (me) =>
    pay(await open(me.shops.stripe, 'monthly', { email: EVE, body: { offer: 'spring' } })),
  ...WAITING,
}

/** What happens to buyers and their purchases. */
export const LATER_ACTIONS: Record<string, Act> = {
  'each page and each act of the console': useConsole,
  'a refund by the owner, which the processor refuses at first': async (me) => {
    const { rows } = await me.world.database.query<{ id: string }>(
      `select p.id from purchases p join payments f on f.purchase_id = p.id and f.kind = 'succeeded'
       where p.paywall_id = $1 and p.status = 'active' limit 1`,
      [me.shops.stripe.paywall.id],
    )
    const refund = () => ask(me, `purchases/${rows[0]!.id}/refund`, { key: me.key, body: { amount: 1 } })
    await whileRefused(me, /refunds/, () => expectStatus(refund(), 502))
    await expectStatus(refund())
  },
  'restoring purchases by a verified e-mail address': async (me) => {
    const grant = { ...(await getGrant(me.world, DORA)), restore: true }
    me.sessions[DORA] = parseSession(await requestTokens(me.world, grant))
  },
  'an anonymous user signs in as a known one': async (me) => {
    const { token } = me.sessions.anonymous!
    const grant = await getGrant(me.world, ANN)
    me.sessions[ANN] = parseSession(await requestTokens(me.world, grant, { token }))
  },
  'reading a user by each identifier': async (me) => {
    for (const query of [`email=${BOB}`, `external_id=${encodeURIComponent(EXTERNAL_ID)}`]) {
      await expectStatus(ask(me, `user?${query}`, { key: me.key }))
    }
    await expectStatus(ask(me, 'user', { token: me.sessions[ANN]!.token }))
  },
  'credits and debits, with a key and without': async (me) => {
    const order = { email: BOB, type: 'standard' }
    await expectStatus(changeBalance(me.world, { ...order, amount: 9 }, { headers: CREDIT }))
    await expectStatus(changeBalance(me.world, { ...order, amount: 9 }, { headers: CREDIT }))
    await expectStatus(changeBalance(me.world, { ...order, op: 'debit', amount: 2 }))
  },
  'grants: one that ends by itself, and one that is taken back': async (me) => {
    const here = { paywallId: me.shops.stripe.paywall.id, key: me.key }
    const give = async (fields: object, options = {}) =>
      parseGranted(await createGrant(me.world, { email: BOB, ...fields }, { ...here, ...options })).grant
    await give({ days: 400, price: 'monthly' }, { headers: GRANT })
    await give({ days: 400, price: 'monthly' }, { headers: GRANT })
    await give({ days: 1 })
    await expectStatus(endGrant(me.world, (await give({ days: 9 })).id, here))
  },
  'a withdrawal': async (me) => {
    const { user } = parseSession(await ask(me, 'sign-in/exchange', { key: me.key, body: { email: BOB } }))
    await expectStatus(withdraw(me.world, { user_id: user.id }))
  },
  'a portal': (me) =>
    expectStatus(
      ask(me, 'get-customer-portal', { key: me.key, body: { email: emailAt('stripe'), userMeta: { seen: 1 } } }),
    ),
  'a change of plan: previewed, refused, and made': async (me) => {
    const body = { email: emailAt('stripe'), priceId: getPriceId(me.shops.stripe.paywall, 'plus') }
    const change = (fields: object, status?: number) =>
      expectStatus(ask(me, 'change-plan', { key: me.key, headers: CHANGE, body: { ...body, ...fields } }), status)
    await change({ preview: true })
    await whileRefused(me, /subscriptions/, () => change({}, 502))
    await change({})
    await change({}) // a replay
  },
  'payments and a receipt on the site': async (me) => {
    const { world, shops } = me
    const page = (path: string) =>
      call(world, `/p/${shops.stripe.paywall.id}/account${path}`, {
        headers: { cookie: `paywall_access=${me.sessions[DORA]!.token}` },
      })
    const { body } = await expectStatus(page(''))
    const [, receipt] = /\/account(\/receipt\/[^"?]+)/.exec(String(body)) ?? []
    await expectStatus(page(receipt ?? '/no receipt'), 303)
  },
  'a code, and an offer to stay, on the site': async (me) => {
    const { world, shops } = me
    const site = `/p/${shops.stripe.paywall.id}`
    const cookie = `paywall_access=${me.sessions[DORA]!.token}`
    const submit = (path: string, fields: Record<string, string>) =>
      world.fetch(site + path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        redirect: 'manual',
      })
    const entered = await submit('', { action: 'code', code: 'team-2027' })
    if (entered.status !== 303) throw new Error(`the code was refused: ${await entered.text()}`)
    const account = await expectStatus(call(world, `${site}/account`, { headers: { cookie } }))
    const [, purchase = ''] = /cancel\?purchase=([0-9a-f-]+)/.exec(String(account.body)) ?? []
    const path = `/account/cancel?purchase=${purchase}`
    const { body } = await expectStatus(call(world, site + path, { headers: { cookie } }))
    const [, offer = ''] = /name="offer" value="([^"]+)"/.exec(String(body)) ?? []
    const kept = await submit(path, { action: 'stay', purchase, offer })
    if (kept.status !== 200) throw new Error(`the offer was refused: ${await kept.text()}`)
  },
  'a returning buyer': async (me) =>
    pay(await open(me.shops.stripe, 'lifetime', { email: emailAt('stripe'), body: IGNORING_ACTIVE_PURCHASE })),
  ...Object.fromEntries(
    PROCESSOR_NAMES.map((acquiring) => [
      `renewals, a refund and a dispute at ${acquiring}`,
      async (me: Owner) => {
        const buyer = buyerAt(me, acquiring)
        const { account: processor } = buyer.shop
        const { processorId } = processor.sales().find(({ isSubscription }) => isSubscription)!
        await processor.renew(processorId)
        await processor.refund(processorId, 100)
        await processor.failCharge(processorId)
        await processor.recover(processorId)
        await processor.dispute(processorId)
      },
    ]),
  ),
  'a cancellation that the processor refuses': (me) =>
    whileRefused(me, /subscriptions/, async () => {
      const email = DORA
      const { token } = me.sessions[email]!
      await expectStatus(
        call(me.world, '/api/paywall/cancel-subscription', { token, body: await cancellation(me, token) }),
        502,
      )
    }),
  'a cancellation': async (me) => {
    const { token } = me.sessions[DORA]!
    await expectStatus(
      call(me.world, '/api/paywall/cancel-subscription', { token, body: await cancellation(me, token) }),
    )
  },
  'cancellations by the owner': async (me) => {
    for (const acquiring of ['polar', 'mollie'] as const) await expectStatus(cancelThroughApi(buyerAt(me, acquiring)))
  },
  'two months pass': ({ world, shops }) => world.clock.advance(shops.chargebee.paywall.id, '62d'),
}

/** The request body that cancels a user's latest subscription. */
async function cancellation(me: Owner, token: string): Promise<object> {
  const { body } = await expectStatus(ask(me, 'user', { token }))
  const [{ id }] = Object(body).purchases
  return { subscriptionId: id, cancellationReason: 'too expensive' }
}
