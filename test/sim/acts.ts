// What a person does by itself: it buys, cancels, reads, and its owner changes its tokens. What an answer leaves open is asked
// again, where that is harmless.
import { randomUUID } from 'node:crypto'
import { call } from '../support/call.ts'
import { opened, press, priceIdOf, startCheckout } from '../support/checkout.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { userState } from '../support/user-state.ts'
import type { Step } from './history.ts'
import { insist, isDefinite, once } from './insist.ts'
import type { Person } from './person.ts'
import { type Truth, truthOf } from './truth.ts'

type Doing<Act extends Step['act']> = Extract<Step, { act: Act }>

/** Opens a checkout, by as many clicks at once as it takes, and presses a button of its page. */
export async function buy(person: Person, { slug, button, comesBack, clicks }: Doing<'buy'>): Promise<void> {
  const { world, email, addresses } = person
  // Nobody pays twice for the same. The checkout is asked for all the same, as by somebody who tries whether it works.
  const isWanted = !mayOwn(truthOf(person), slug === 'lifetime')
  const headers = { 'idempotency-key': randomUUID() }
  const order = {
    paywall: world.paywall,
    key: world.key,
    headers,
    body: { email, priceId: priceIdOf(world.paywall, slug) },
  }
  const replies = await Promise.all(
    Array.from({ length: clicks }, () =>
      insist(
        () => startCheckout(world, order),
        ({ status, body }) => status === 409 && isInProgress(body),
      ),
    ),
  )
  const given = new Set<string>()
  for (const reply of replies) {
    if (reply?.status !== 200) continue
    person.userId = opened(reply).userId
    given.add(opened(reply).checkoutUrl)
  }
  addresses.set(headers['idempotency-key'], given)
  const [checkoutUrl] = given
  if (!checkoutUrl || !isWanted || button === 'leave') return
  const back = await press(checkoutUrl, button === 'transfer' && !(await hasTransfer(checkoutUrl)) ? 'later' : button)
  if (comesBack && back.startsWith('http')) await insist(() => call(world, back))
}

/** Whether it has such a thing, or is about to: its money may be on its way. */
const mayOwn = ({ sales }: Truth, isOnce: boolean) =>
  sales.some(({ isSubscription, status }) => isSubscription !== isOnce && !OVER.includes(status))

/** Whether the page can be paid by a bank transfer. Where it cannot, another payment that takes its time has to do. */
const hasTransfer = async (checkoutUrl: string) =>
  (await (await fetch(checkoutUrl)).text()).includes('value="transfer"')

const OVER = ['canceled', 'refunded']

const isInProgress = (body: unknown) => JSON.stringify(body).includes('checkout_in_progress')

/** Cancels the subscription that it is shown. What is acknowledged holds; any other cancellation may take effect or not. */
export async function cancel({ world, userId, cancelled }: Person): Promise<void> {
  if (!userId) return
  const state = await userState(world, userId).catch(() => null)
  const subscription = state?.purchases.find(({ interval, status }) => interval !== null && RUNNING.includes(status))
  if (!subscription) return
  const body = { paywallId: world.paywall.id, userId, subscriptionId: subscription.id, cancellationReason: 'enough' }
  const reply = await insist(() => call(world, '/api/paywall/cancel-subscription', { key: world.key, body }))
  if (reply?.status === 200) cancelled.add(subscription.id)
}

const RUNNING = ['trialing', 'active', 'past_due']

/** With an idempotency key a call is repeated until it is answered. Without one its outcome may stay unknown. */
export async function changeTokens(person: Person, { op, amount, keyed }: Doing<'tokens'>): Promise<void> {
  const { world, userId, tokens } = person
  if (!userId) return
  const headers = keyed ? { 'idempotency-key': randomUUID() } : {}
  const ask = () =>
    op === 'withdraw'
      ? withdraw(world, { user_id: userId, tokens: amount, token_type: 'premium' }, { headers })
      : changeBalance(world, { op, amount, type: 'premium', user_id: userId }, { headers })
  const delta = op === 'credit' ? amount : -amount
  const reply = keyed ? await insist(ask) : await once(ask)
  if (!reply || !isDefinite(reply)) {
    // A 503 with `Retry-After` says that nothing was done.
    if (keyed || !reply?.headers['retry-after']) tokens.unknown.push(delta)
  } else if (reply.status === 200) tokens.known += delta
}

export async function read({ world, userId }: Person): Promise<void> {
  if (userId) await userState(world, userId).catch(() => 'the service is down at the moment')
}
