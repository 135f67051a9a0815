// What people do themselves: they buy, cancel and read. A call with an unknown outcome is repeated where that is harmless.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { takenOff } from '../../lib/processors/discount.ts'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, parseOpened, startCheckout } from '../support/checkout.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { type UserState, userState } from '../support/user-state.ts'
import { retryUntilDone } from './passing-time.ts'
import type { Company, OfferUse, Order, Person } from './person.ts'
import { currentTime } from './processor-acts.ts'
import { isDefinite, retryUntilDefinite, tryOnce } from './retry.ts'
import { ownSession } from './sign-in.ts'
import type { Slug, Step } from './step.ts'

type Purchase = UserState['purchases'][number]
type Doing<Act extends Step['act']> = Extract<Step, { act: Act }>

/** Opens a checkout with as many concurrent clicks as the step says, and presses a button of its page. */
export async function buy(company: Company, person: Person, step: Doing<'buy'>): Promise<void> {
  const { slug, clicks, button, replaces, comesBack } = step
  const { world } = person
  // A person pays twice for the same thing only to replace it. The checkout is requested anyway, as if to see whether it works.
  const isWanted = replaces || !mayOwn(company, person, slug === 'lifetime')
  const order = await getOrder(person, step)
  if (!order) return
  const isRefused = !replaces && (await hasBlockingPurchase(person, slug))
  const use = await noteOfferUse(company, person, step)
  const replies = await Promise.all(
    Array.from({ length: clicks }, () =>
      retryUntilDefinite(
        () => startCheckout(world, order),
        ({ status, body }) => status === 409 && isInProgress(body),
      ),
    ),
  )
  const given = new Set<string>()
  for (const reply of replies) {
    if (reply?.status !== 200) continue
    person.userId = parseOpened(reply).userId
    given.add(parseOpened(reply).checkoutUrl)
  }
  person.addresses.set(order.headers['idempotency-key'], given)
  const [checkoutUrl] = given
  if (use && !checkoutUrl) use.refusal = findOfferRefusal(replies)
  if (!checkoutUrl) return
  if (isRefused && (await hasBlockingPurchase(person, slug))) {
    company.faults.add(`charged once: ${person.email} was sold ${slug} beside what prevents that`)
  }
  person.orders.set(checkoutUrl, sold(person, step))
  if (!isWanted) return
  person.replaces ||= replaces
  if (button === 'leave') {
    person.leftUrl ??= checkoutUrl
    return
  }
  person.pageUrl = checkoutUrl
  if (use) use.isPressed = true
  const pressed = button === 'transfer' && !(await hasTransfer(checkoutUrl)) ? 'later' : button
  const back = await buyOn(company, person, checkoutUrl, pressed)
  if (comesBack && back.startsWith('http')) await retryUntilDefinite(() => call(world, back))
}

/** Records that a call will name the offer of its price, if the step says so. */
async function noteOfferUse(company: Company, person: Person, { slug, offer }: Doing<'buy'>): Promise<OfferUse | null> {
  if (offer === 'none') return null
  const use = { person, slug, at: await currentTime(company), refusal: null, isPressed: false }
  company.offerUses.push(use)
  return use
}

/** Why no page was opened at an offer; null if there was another cause. */
function findOfferRefusal(replies: (Reply | null)[]): string | null {
  const bodies = replies.map((reply) => InvalidOffer.safeParse(reply?.body).data)
  return bodies.find((body) => body !== undefined)?.reason ?? null
}

const InvalidOffer = z.object({ error: z.literal('invalid_offer'), reason: z.string() })

/** Presses a button of a page and records what that bought. Returns the URL that the page redirects to. */
async function buyOn({ account }: Company, person: Person, checkoutUrl: string, button: string): Promise<string> {
  const known = new Set(account.sales().map(({ processorId }) => processorId))
  const back = await press(checkoutUrl, button, person)
  for (const { processorId } of account.sales()) if (!known.has(processorId)) person.bought.add(processorId)
  return back
}

/**
 * Pays on the page that the person left, or else on the page where a button was last pressed (a link can sell again), and returns to the
 * service. Does nothing if no webhooks arrive: a link that has sold is not polled again, so the service could not learn of the purchase.
 * Also does nothing if the person has opened a page on another paywall of the account, which may not have sold anything yet: the service
 * could not tell which of the pages sold.
 */
export async function payAgain(company: Company, person: Person): Promise<void> {
  const hasPageElsewhere = company.people.some(
    (each) => each !== person && each.email === person.email && each.orders.size > 0,
  )
  const url = person.leftUrl ?? person.pageUrl
  if (!url || company.life.webhooks === 'none' || hasPageElsewhere) return
  person.leftUrl = null
  for (const use of company.offerUses) if (use.person === person) use.isPressed = true
  const back = await buyOn(company, person, url, 'pay')
  if (back.startsWith('http')) await retryUntilDefinite(() => call(person.world, back))
}

/** Whether the user endpoint shows a subscription that has not ended, with or without access; or a purchase of the same one-time price. */
async function hasBlockingPurchase({ world, userId }: Person, slug: Slug): Promise<boolean> {
  if (!userId) return false
  const state = await userState(world, userId).catch(() => null)
  const now = await world.clock.now(world.paywall.id).catch(() => null)
  if (!state || !now) return false
  const hasEnd = ({ cancel_at_period_end: ends, cancel_at: at }: Purchase) => ends || at !== null
  const isOver = (each: Purchase) =>
    hasEnd(each) && Date.parse(each.cancel_at ?? String(each.current_period_end)) <= now.getTime()
  return state.purchases.some((each) =>
    each.interval === null
      ? each.price_slug === slug && ['pending', 'active'].includes(each.status)
      : NOT_ENDED.includes(each.status) && !isOver(each),
  )
}

/** The start-checkout request that the person makes, or the owner for the person. Null if the person cannot get a session. */
async function getOrder(person: Person, { slug, country, quantity, offer, replaces }: Doing<'buy'>) {
  const { world } = person
  const { paywall, key } = world
  const headers = { 'idempotency-key': randomUUID() }
  const sale = {
    priceId: getPriceId(paywall, slug),
    ...inUnits(paywall, slug, quantity),
    ...(replaces && { ignoreActivePurchase: true }),
    ...(offer === 'by id' && { offer: slug }),
    ...(offer === 'by code' && { code: findOffer(paywall, slug).code }),
  }
  if (person.kind === 'owner')
    return { paywall, key, headers, body: { email: person.email, externalId: person.email, country, ...sale } }
  const session = await ownSession(person)
  return session && { paywall, token: session.token, country, headers, body: sale }
}

/** What the page sells: the price in the owner's file as it is now, in the buyer's country. */
function sold({ world }: Person, { slug, country, offer, replaces, ...step }: Doing<'buy'>): Order {
  const price = world.paywall.prices.find((each) => each.slug === slug)!
  const local = price.locals.find(({ countries }) => countries?.includes(country))
  const { amount, currency } = local ?? price
  const { quantity = 1 } = inUnits(world.paywall, slug, step.quantity)
  const off = offer === 'none' ? 0 : takenOff(findOffer(world.paywall, slug).discount, amount * quantity)
  return { slug, amount, currency, quantity, replaces, takenOff: off }
}

/** The quantity as the API takes it, of a price that is sold per unit. */
export function inUnits({ prices }: FilePaywall, slug: Slug, quantity: number): { quantity?: number } {
  return prices.find((each) => each.slug === slug)?.per_unit ? { quantity } : {}
}

/** Each price has an offer of its name. */
const findOffer = ({ discounts }: FilePaywall, slug: Slug) => discounts.find(({ id }) => id === slug)!

/** Whether the person has bought a subscription, or with `isOnce` a one-time price. A purchase with a pending payment counts, too. */
const mayOwn = ({ account }: Company, { bought }: Person, isOnce: boolean) =>
  account
    .sales()
    .some(
      ({ processorId, isSubscription, status }) =>
        bought.has(processorId) && isSubscription !== isOnce && !ENDED_STATUSES.includes(status),
    )

/** Presses a button of a page. An anonymous user also enters an e-mail address there. Returns the redirect's target. */
export async function press(checkoutUrl: string, action: string, { kind, email }: Person): Promise<string> {
  const body = new URLSearchParams({ action, ...(kind === 'anonymous' && { email }) })
  const response = await fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' })
  await response.body?.cancel()
  return response.headers.get('location') ?? ''
}

/** Whether the page offers bank transfers. If it does not, the caller chooses another payment that takes time to complete. */
const hasTransfer = async (checkoutUrl: string) =>
  (await (await fetch(checkoutUrl)).text()).includes('value="transfer"')

const ENDED_STATUSES = ['canceled', 'refunded']

const isInProgress = (body: unknown) => JSON.stringify(body).includes('checkout_in_progress')

/** Cancels the subscription that the user endpoint shows. An acknowledged cancellation must hold; any other may or may not take effect. */
export async function cancel({ world, kind, session, userId, cancelling, cancelled }: Person): Promise<void> {
  if (!userId) return
  const state = await userState(world, userId).catch(() => null)
  const subscription = state?.purchases.find(({ interval, status }) => interval !== null && RUNNING.includes(status))
  if (!subscription) return
  cancelling.add(subscription.id)
  const body = { subscriptionId: subscription.id, cancellationReason: 'enough' }
  const asked: Call =
    kind === 'user' && session
      ? { token: session.token, body }
      : { key: world.key, body: { ...body, paywallId: world.paywall.id, userId } }
  const reply = await retryUntilDefinite(() => call(world, '/api/paywall/cancel-subscription', asked))
  if (reply?.status === 200) cancelled.add(subscription.id)
}

const RUNNING = ['trialing', 'active', 'past_due']
const NOT_ENDED = [...RUNNING, 'pending', 'paused']

/** Credits, debits or withdraws tokens. With an idempotency key the call is repeated; without one its outcome may remain unknown. */
export async function changeTokens(
  { world, userId, tokens }: Person,
  { op, type, amount, keyed }: Doing<'tokens'>,
): Promise<void> {
  if (!userId) return
  if (type === 'daily')
    tokens.spentDailyAt = await retryUntilDone('a clock is read', () => world.clock.now(world.paywall.id))
  const headers = keyed ? { 'idempotency-key': randomUUID() } : {}
  const ask = () =>
    op === 'withdraw'
      ? withdraw(world, { user_id: userId, tokens: amount, token_type: type }, { headers })
      : changeBalance(world, { op, amount, type, user_id: userId }, { headers })
  const delta = op === 'credit' ? amount : -amount
  const reply = keyed ? await retryUntilDefinite(ask) : await tryOnce(ask)
  if (type === 'daily') return
  if (!reply || !isDefinite(reply)) {
    // Without an idempotency key, a 503 with `Retry-After` means that nothing was done.
    if (keyed || !reply?.headers['retry-after']) tokens.unknown.push(delta)
  } else if (reply.status === 200) tokens.known += delta
}

export async function read({ world, userId }: Person): Promise<void> {
  if (userId) await userState(world, userId).catch(() => 'the service is down at the moment')
}
