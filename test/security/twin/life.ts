// What happens at an owner, in this order: by its key, its users, its guests and its processors. Every name in it is the same for
// each owner that lives it.
import { randomUUID } from 'node:crypto'
import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import { type Buyer, cancelThroughApi, open, order, pay } from '../../conformance/buyer.ts'
import { payOnPage } from '../../support/anonymous.ts'
import { type Call, call, type Reply } from '../../support/call.ts'
import { getPriceId, parseOpened, startCheckout } from '../../support/checkout.ts'
import {
  askForCode,
  askForTokens,
  endSession,
  getGrant,
  refresh,
  sessionIn,
  signInAnonymously,
  signInByMail,
  wrong,
} from '../../support/sign-in.ts'
import { at } from '../../support/tenants.ts'
import { MESSAGE, randomImage, sendForm, ticketForm } from '../../support/tickets.ts'
import { changeBalance, withdraw } from '../../support/token-calls.ts'
import { until } from '../../support/until.ts'
import type { Act, Owner } from './owner.ts'
import { WAITING } from './pending.ts'
import { ANN, BOB, CARL, DORA } from './people.ts'

const again = { ignoreActivePurchase: true }
const EXTERNAL_ID = 'customer 7'
const once = () => ({ 'idempotency-key': randomUUID() })
/** Keys that both owners use. */
const [ORDER, CREDIT] = [once(), once()]

async function good(asked: Promise<Reply>, status = 200): Promise<Reply> {
  const reply = await asked
  if (reply.status !== status) throw new Error(`not answered ${status}: ${JSON.stringify(reply)}`)
  return reply
}

const ask = ({ world, shops }: Owner, endpoint: string, options: Call = {}) =>
  call(world, at(shops.stripe, endpoint), options)

const addressAt = (acquiring: ProcessorName) => `${acquiring}@buyers.dev`

/** A buyer at a processor. */
const buyerAt = (me: Owner, acquiring: ProcessorName): Buyer => me.buyers[addressAt(acquiring)]!

const REFUSAL = '{"error":{"type":"api_error"}}'

/** While the processor refuses each call that is like this. */
async function whileRefused(me: Owner, path: RegExp, work: () => Promise<unknown>): Promise<void> {
  me.world.stripe.onCall = async (called, run) =>
    called.method === 'POST' && path.test(called.path) ? { status: 503, headers: {}, body: REFUSAL } : run()
  try {
    await work()
  } finally {
    me.world.stripe.onCall = undefined
  }
}

/** Up to what processors know of a buyer. */
export const ARRIVING: Record<string, Act> = {
  bootstrap: (me) => good(ask(me, 'bootstrap')),
  'the paywall of a domain': ({ world, shops }) =>
    good(call(world, `https://${shops.stripe.paywall.domain}/api/v1/paywall`)),
  'a code that is wrong, then right': async (me) => {
    const grant = await getGrant(me.world, ANN)
    await good(askForTokens(me.world, wrong(grant)), 400)
    me.sessions[ANN] = sessionIn(await askForTokens(me.world, grant))
  },
  'an anonymous user': async (me) => {
    me.sessions.anonymous = await signInAnonymously(me.world)
  },
  'a user of an external id, by exchange': (me) =>
    good(ask(me, 'sign-in/exchange', { key: me.key, body: { email: BOB, external_id: EXTERNAL_ID } })),
  'a refresh': async (me) => {
    me.sessions[ANN] = sessionIn(await refresh(me.world, me.sessions[ANN]!.refreshToken))
  },
  'a session that ends': async (me) => endSession(me.world, (await signInByMail(me.world, CARL)).refreshToken),
  'a code that nobody types': async (me) => {
    me.grant = await getGrant(me.world, CARL)
  },
  'a code whose mail cannot be sent': async ({ world }) => {
    const consumed = async () => {
      const { rows } = await world.database.query("select sum(consumed) from rate_limits where name = 'address mail'")
      return rows[0].sum
    }
    const before = await consumed()
    world.mail.onMail = () => {
      throw new Error('no such mailbox')
    }
    await good(askForCode(world, DORA))
    await until('the mail is refunded', async () => (await consumed()) === before)
    world.mail.onMail = undefined
  },
  'user state in bootstrap': (me) => good(ask(me, 'bootstrap', { token: me.sessions[ANN]!.token })),
  'a faulty body by an owner key': (me) => good(ask(me, 'balances', { key: me.key, body: '{' }), 400),
  "a guest's ticket": (me) =>
    good(sendForm(me.world, ticketForm({ ...MESSAGE, customer_email: ANN }, [randomImage()]))),
  "a user's ticket": (me) =>
    good(sendForm(me.world, ticketForm(MESSAGE, [randomImage()]), { token: me.sessions[ANN]!.token })),
  'a checkout that the processor refuses': (me) =>
    whileRefused(me, /checkout/, () => good(order(me.shops.stripe, 'monthly', { email: BOB }), 502)),
  'a page, and another one instead of it': async (me) => {
    const asked = { paywall: me.shops.stripe.paywall, token: me.sessions[ANN]!.token, headers: ORDER }
    const body = { priceId: getPriceId(asked.paywall, 'monthly'), userMeta: { theme: 'dark' } }
    await good(startCheckout(me.world, { ...asked, body }))
    await good(startCheckout(me.world, { ...asked, body })) // a replay
    const page = parseOpened(await startCheckout(me.world, { ...asked, headers: once(), body }))
    await until('the first page is closed', async () => {
      const { rowCount } = await me.world.database.query(
        `select from checkouts c where c.paywall_id = $1 and c.user_id = $2 and c.reconcile_at is not null`,
        [asked.paywall.id, page.userId],
      )
      return rowCount === 1
    })
  },
  'anonymous purchases with an address': async (me) => {
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
        const email = addressAt(acquiring)
        const buyer = await open(me.shops[acquiring], 'monthly', { email, body: { userMeta: { role: 'user' } } })
        me.buyers[email] = buyer
        await pay(buyer)
      },
    ]),
  ),
  ...WAITING,
}

/** What happens to buyers and their purchases. */
export const STAYING: Record<string, Act> = {
  'an address that is proven brings its purchases': async (me) => {
    const grant = { ...(await getGrant(me.world, DORA)), restore: true }
    me.sessions[DORA] = sessionIn(await askForTokens(me.world, grant))
  },
  'an anonymous user signs in as a known one': async (me) => {
    const { token } = me.sessions.anonymous!
    const grant = await getGrant(me.world, ANN)
    me.sessions[ANN] = sessionIn(await askForTokens(me.world, grant, { token }))
  },
  'a user read by every name': async (me) => {
    for (const query of [`email=${BOB}`, `external_id=${encodeURIComponent(EXTERNAL_ID)}`]) {
      await good(ask(me, `user?${query}`, { key: me.key }))
    }
    await good(ask(me, 'user', { token: me.sessions[ANN]!.token }))
  },
  'credits and debits, with a key and without': async (me) => {
    const order = { email: BOB, type: 'standard' }
    await good(changeBalance(me.world, { ...order, amount: 9 }, { headers: CREDIT }))
    await good(changeBalance(me.world, { ...order, amount: 9 }, { headers: CREDIT }))
    await good(changeBalance(me.world, { ...order, op: 'debit', amount: 2 }))
  },
  'a withdrawal': async (me) => {
    const { user } = sessionIn(await ask(me, 'sign-in/exchange', { key: me.key, body: { email: BOB } }))
    await good(withdraw(me.world, { user_id: user.id }))
  },
  'a portal': (me) =>
    good(ask(me, 'get-customer-portal', { key: me.key, body: { email: addressAt('stripe'), userMeta: { seen: 1 } } })),
  'a returning buyer': async (me) =>
    pay(await open(me.shops.stripe, 'lifetime', { email: addressAt('stripe'), body: again })),
  ...Object.fromEntries(
    PROCESSOR_NAMES.map((acquiring) => [
      `renewals, a refund and a dispute at ${acquiring}`,
      async (me: Owner) => {
        const buyer = buyerAt(me, acquiring)
        const { there } = buyer.shop
        const { processorId } = there.sales().find(({ isSubscription }) => isSubscription)!
        await there.renew(processorId)
        await there.refund(processorId, 100)
        await there.failCharge(processorId)
        await there.recover(processorId)
        await there.dispute(processorId)
      },
    ]),
  ),
  'a cancellation that the processor refuses': (me) =>
    whileRefused(me, /subscriptions/, async () => {
      const email = DORA
      const { token } = me.sessions[email]!
      await good(
        call(me.world, '/api/paywall/cancel-subscription', { token, body: await cancellation(me, token) }),
        502,
      )
    }),
  'a cancellation': async (me) => {
    const { token } = me.sessions[DORA]!
    await good(call(me.world, '/api/paywall/cancel-subscription', { token, body: await cancellation(me, token) }))
  },
  'cancellations by the owner': async (me) => {
    for (const acquiring of ['polar', 'mollie'] as const) await good(cancelThroughApi(buyerAt(me, acquiring)))
  },
  'two months': ({ world, shops }) => world.clock.advance(shops.chargebee.paywall.id, '62d'),
}

/** The latest subscription of a user. */
async function cancellation(me: Owner, token: string): Promise<object> {
  const { body } = await good(ask(me, 'user', { token }))
  const [{ id }] = Object(body).purchases
  return { subscriptionId: id, cancellationReason: 'too expensive' }
}
