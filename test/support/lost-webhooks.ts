import { call } from './call.ts'
import { type PaidSubscription, paySubscription } from './stripe-purchase.ts'
import type { TestWorld } from './world.ts'

/** Drops every webhook that Stripe has held back, for good. */
export async function loseWebhooks(world: TestWorld): Promise<void> {
  const lost = world.stripe.sendHeldWebhooks(() => [])
  // Before the next `await`, so that what happens meanwhile is held back, too.
  world.stripe.holdWebhooks()
  await lost
}

/** Pays, closes the browser, and every webhook of it is lost. */
export async function payUnnoticed(world: TestWorld): Promise<PaidSubscription> {
  const paid = await paySubscription(world)
  await loseWebhooks(world)
  return paid
}

/** Pays and comes back, and Stripe tells nothing. */
export async function payAndComeBack(world: TestWorld): Promise<PaidSubscription> {
  const paid = await paySubscription(world)
  const { status } = await call(world, paid.back)
  if (status !== 303) throw new Error(`the way back answered ${status}`)
  await loseWebhooks(world)
  return paid
}

/** How often Stripe was asked about something while this went on. */
export async function countStripeCalls(
  { stripe }: TestWorld,
  during: () => Promise<unknown>,
  ...ids: string[]
): Promise<number[]> {
  const before = stripe.calls.length
  await during()
  const calls = stripe.calls.slice(before)
  return ids.map((id) => calls.filter(({ path }) => path.endsWith(`/${id}`)).length)
}
