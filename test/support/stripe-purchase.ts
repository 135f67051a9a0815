import Stripe from 'stripe'
import * as z from 'zod'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import type { StripeEvent } from '../../dev/emulators/stripe/webhook-format.ts'
import { call, type Reply } from './call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from './checkout.ts'
import type { UserState } from './user-state.ts'
import type { TestWorld } from './world.ts'

const Subscription = z.object({
  id: z.string(),
  customer: z.string(),
  metadata: z.object({ user_id: z.string().optional() }),
  status: z.string(),
  cancel_at: z.int().nullable(),
  canceled_at: z.int().nullable(),
  items: z.object({ data: z.array(z.object({ current_period_end: z.int() })).length(1) }),
})

/** A subscription that was paid for on the hosted page. The browser has not returned. */
export interface PaidSubscription {
  userId: string
  /** Stripe's ids. */
  pageId: string
  subscriptionId: string
  customer: string
  /** Where Stripe sends the browser. */
  back: string
}

/**
 * Opens a checkout and pays; with `later` it completes the checkout with a pending payment. What follows here depends on whether Stripe's
 * webhooks are held.
 */
export async function paySubscription(
  world: TestWorld,
  slug = 'monthly',
  { later = false } = {},
): Promise<PaidSubscription> {
  const body = { email: newEmail(), priceId: getPriceId(world.paywall, slug) }
  const { userId, checkoutUrl } = parseOpened(
    await startCheckout(world, { paywall: world.paywall, key: world.key, body }),
  )
  const session = world.stripe.checkoutSessions.find(({ url }) => url === checkoutUrl)
  if (later) await world.stripe.payLater(String(session?.id))
  const back = later ? String(session?.success_url) : await press(checkoutUrl, 'pay')
  const subscriptions = world.stripe.subscriptions.map((each) => Subscription.parse(each))
  const subscription = subscriptions.find(({ metadata }) => metadata.user_id === userId)
  if (!session || !subscription) throw new Error(`Stripe has no subscription of ${userId}`)
  return { userId, pageId: session.id, subscriptionId: subscription.id, customer: subscription.customer, back }
}

/** The state of a subscription at Stripe, in the format of the user endpoint. */
export function purchaseAtStripe(world: TestWorld, subscriptionId: string): Partial<UserState['purchases'][number]> {
  const found = Subscription.parse(world.stripe.subscriptions.find(({ id }) => id === subscriptionId))
  const at = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString())
  return {
    status: found.status,
    current_period_end: at(found.items.data[0]!.current_period_end),
    cancel_at_period_end: found.cancel_at !== null,
    cancel_at: at(found.cancel_at),
    canceled_at: at(found.canceled_at),
  }
}

/** Schedules the end of a subscription, or undoes that, as the seller's own tools do it: through Stripe's API. */
export async function cancelThroughApi(world: TestWorld, subscriptionId: string, cancel: boolean): Promise<void> {
  await getStripe(world).subscriptions.update(subscriptionId, { cancel_at_period_end: cancel })
}

/** The official SDK in the paywall's own Stripe account. */
export function getStripe({ stripe, paywall }: TestWorld): Stripe {
  const { hostname: host, port } = new URL(stripe.url)
  return new Stripe(stripeCredentials(paywall).secretKey, { host, port, protocol: 'http', telemetry: false })
}

/** The ids of a customer's payments that went through, the oldest first. */
export function getPayments(world: TestWorld, { customer }: PaidSubscription): string[] {
  const paid = world.stripe.events.filter(({ type }) => type === 'payment_intent.succeeded')
  return paid.filter(({ data }) => data.object.customer === customer).map(({ data }) => String(data.object.id))
}

/** All events that Stripe sends about a purchase, the oldest first. */
export function toEvents(world: TestWorld, paid: PaidSubscription): StripeEvent[] {
  return eventsAbout(world, paid.pageId, paid.customer, ...getPayments(world, paid))
}

/** The objects of events as text, by event id. An event never changes. */
const texts = new Map<string, string>()

/** Stripe's events that name one of these ids, the oldest first. */
export function eventsAbout(world: TestWorld, ...ids: string[]): StripeEvent[] {
  return world.stripe.events.filter(({ id: eventId, data }) => {
    const text = texts.get(eventId) ?? JSON.stringify(data.object)
    texts.set(eventId, text)
    return ids.some((id) => text.includes(`"${id}"`))
  })
}

/** Has Stripe deliver an event to the world's paywall through the gateway. Returns the status of the response. */
export async function deliver(world: TestWorld, eventId: string): Promise<number> {
  const [status] = await world.stripe.resend(eventId)
  return status ?? 0
}

/**
 * Posts `body` to a paywall's webhook address, signed as Stripe signs. `sent` is sent instead of the signed body, and `signature` replaces
 * the signature; null: none.
 */
export async function postWebhook(
  world: TestWorld,
  body: string,
  options: {
    /** Default: the service's own. */
    origin?: string
    paywallId?: string
    secret?: string
    at?: Date
    sent?: string
    signature?: string | null
    headers?: Record<string, string>
  } = {},
): Promise<Reply> {
  const { paywallId = world.paywall.id, secret = getWebhookSecret(world.paywall), at = new Date() } = options
  const signature = options.signature === undefined ? signAsStripe(body, secret, at) : options.signature
  return call(world, `${options.origin ?? ''}/webhooks/stripe/${paywallId}`, {
    body: options.sent ?? body,
    headers: { ...options.headers, ...(signature !== null && { 'stripe-signature': signature }) },
  })
}

/** The header `stripe-signature` for a body. */
export function signAsStripe(payload: string, secret: string, at = new Date()): string {
  const timestamp = Math.floor(at.getTime() / 1000)
  return new Stripe('sk_test_unused').webhooks.generateTestHeaderString({ payload, secret, timestamp })
}

export const getWebhookSecret = (paywall: FilePaywall): string => stripeCredentials(paywall).webhookSecret

export function stripeCredentials({ processor }: FilePaywall) {
  if (processor.acquiring !== 'stripe') throw new Error('the paywall does not sell through Stripe')
  return processor.credentials
}
