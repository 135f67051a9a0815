import { createHmac, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { call, type Reply } from './call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from './checkout.ts'
import type { FileJson } from './paywall-file.ts'
import { atNewPaywall } from './tenants.ts'
import type { TestWorld } from './world.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** The `processor` of a test paywall that sells through its own Mollie account. */
export function mollieProcessor(credentials: FileJson = {}): FileJson {
  return { acquiring: 'mollie', credentials: { apiKey: `test_${hex(15)}`, webhookSecret: hex(16), ...credentials } }
}

/** The world, seen from a new paywall with its own Mollie account, and therefore its own clock. */
export async function openMollieShop(world: TestWorld) {
  const shop = await atNewPaywall(world, { processor: mollieProcessor() })
  return { shop, passes: (by: string) => world.clock.advance(shop.paywall.id, by) }
}

const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  sequenceType: z.string(),
  amount: z.object({ currency: z.string(), value: z.string() }),
  customerId: z.string().nullish(),
  subscriptionId: z.string().nullish(),
  mandateId: z.string().nullish(),
  metadata: z.object({ user_id: z.string() }),
})

const Subscription = z.looseObject({
  id: z.string(),
  status: z.string(),
  customerId: z.string(),
  interval: z.string(),
  startDate: z.string(),
  nextPaymentDate: z.string().nullish(),
  mandateId: z.string().nullish(),
  amount: z.object({ currency: z.string(), value: z.string() }),
  metadata: z.object({ user_id: z.string() }),
})

const Noted = z.object({ metadata: z.object({ user_id: z.string() }) })
const belongsTo = (userId: string) => (each: unknown) => Noted.safeParse(each).data?.metadata.user_id === userId

/** A user's payments at Mollie, oldest first. */
export const getPayments = ({ mollie }: TestWorld, userId: string) =>
  mollie.payments.filter(belongsTo(userId)).map((each) => Payment.parse(each))

/** A user's subscriptions at Mollie, oldest first. */
export const listSubscriptions = ({ mollie }: TestWorld, userId: string) =>
  mollie.subscriptions.filter(belongsTo(userId)).map((each) => Subscription.parse(each))

/** A first payment made on its page; the buyer has not returned. */
export interface PaidFirst {
  userId: string
  paymentId: string
  /** Where Mollie redirects the browser. */
  back: string
}

type Button = Parameters<typeof press>[1]

/** Opens a checkout and presses a button of its page. What follows here depends on whether Mollie's webhooks are held. */
export async function payFirst(
  world: TestWorld,
  slug = 'monthly',
  { action = 'pay' as Button, body = {}, email = newEmail() } = {},
): Promise<PaidFirst> {
  const order = { email, priceId: getPriceId(world.paywall, slug), ...body }
  const checkout = await startCheckout(world, { paywall: world.paywall, key: world.key, body: order })
  const { userId, checkoutUrl } = parseOpened(checkout)
  const payment = getPayments(world, userId).at(-1)
  if (!payment) throw new Error(`Mollie has no payment of ${userId}`)
  return { userId, paymentId: payment.id, back: await press(checkoutUrl, action) }
}

/** A subscription that was bought; the browser has returned, and all webhooks and events have arrived. */
export async function subscribeAtMollie(world: TestWorld, slug = 'monthly', body = {}) {
  const paid = await payFirst(world, slug, { body })
  const { status } = await call(world, paid.back)
  if (status !== 303) throw new Error(`the return URL responded with ${status}`)
  await world.mollie.drainWebhooks()
  const [subscription] = listSubscriptions(world, paid.userId)
  if (!subscription) throw new Error(`Mollie has no subscription of ${paid.userId}`)
  return { ...paid, subscriptionId: subscription.id }
}

/** Posts `body` to a paywall's webhook address, signed as Mollie signs; `signature` replaces the signature: null for none. */
export function postMollieWebhook(
  world: TestWorld,
  body: string,
  options: { paywallId?: string; secret?: string; sent?: string; signature?: string | null } = {},
): Promise<Reply> {
  const { paywallId = world.paywall.id, secret = getMollieSecret(world) } = options
  const proper = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const signature = options.signature === undefined ? proper : options.signature
  return call(world, `/webhooks/mollie/${paywallId}`, {
    body: options.sent ?? body,
    ...(signature !== null && { headers: { 'x-mollie-signature': signature } }),
  })
}

export function getMollieSecret({ file }: TestWorld, paywall = 0): string {
  const processor = file.paywalls[paywall]?.processor
  if (processor?.acquiring !== 'mollie') throw new Error('the paywall does not sell through Mollie')
  return processor.credentials.webhookSecret
}
