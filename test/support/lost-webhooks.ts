import { call } from './call.ts'
import { type PaidSubscription, paySubscription } from './stripe-purchase.ts'
import type { TestWorld } from './world.ts'

/** Drops all webhooks that the Stripe emulator holds back. */
export async function loseWebhooks(world: TestWorld): Promise<void> {
  const lost = world.stripe.sendHeldWebhooks(() => [])
  // Called before the next `await`, so that everything that happens meanwhile is held back, too.
  world.stripe.holdWebhooks()
  await lost
}

/** Pays and closes the browser; all webhooks are lost. */
export async function payWithoutWebhooks(world: TestWorld): Promise<PaidSubscription> {
  const paid = await paySubscription(world)
  await loseWebhooks(world)
  return paid
}

/** Pays and returns; Stripe sends no webhooks. */
export async function payAndReturn(world: TestWorld): Promise<PaidSubscription> {
  const paid = await paySubscription(world)
  const { status } = await call(world, paid.back)
  if (status !== 303) throw new Error(`the return URL responded with ${status}`)
  await loseWebhooks(world)
  return paid
}

/** How many calls Stripe received about each of the ids while `during` ran. */
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
