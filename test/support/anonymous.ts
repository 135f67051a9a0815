import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { call } from './call.ts'
import { getPriceId, newEmail, parseOpened, startCheckout } from './checkout.ts'
import { type Session, signInAnonymously } from './sign-in.ts'
import { changeBalance } from './token-calls.ts'
import type { TestWorld } from './world.ts'

/** An anonymous user with an open checkout that has not been paid. */
export interface AnonymousBuyer extends Session {
  checkoutUrl: string
}

/** An anonymous user who has opened a checkout of the monthly price and sent some `meta` with it. */
export async function anonymousBuyer(world: TestWorld, meta: Record<string, unknown> = {}): Promise<AnonymousBuyer> {
  const session = await signInAnonymously(world)
  return { ...session, checkoutUrl: await openCheckout(world, session.token, meta) }
}

/** Opens a checkout of the monthly price as a signed-in user. */
export async function openCheckout(world: TestWorld, token: string, userMeta: Record<string, unknown> = {}) {
  const reply = await startCheckout(world, {
    paywall: world.paywall,
    token,
    headers: { 'idempotency-key': randomUUID() },
    body: { priceId: getPriceId(world.paywall, 'monthly'), userMeta },
  })
  return parseOpened(reply).checkoutUrl
}

/** Pays on the hosted page, which asks an anonymous buyer for an e-mail address. Returns the URL that the page redirects to. */
export async function payOnPage(checkoutUrl: string, email = newEmail()): Promise<string> {
  const body = new URLSearchParams({ action: 'pay', email })
  const response = await fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' })
  await response.body?.cancel()
  return response.headers.get('location') ?? ''
}

/** Pays and returns to the paywall, which stores the purchase. Returns Stripe's subscription id. */
export async function pay(world: TestWorld, checkoutUrl: string): Promise<string> {
  await call(world, await payOnPage(checkoutUrl))
  return getSubscription(world, checkoutUrl)
}

/** Stripe's id of the subscription bought on a page. */
export function getSubscription(world: TestWorld, checkoutUrl: string): string {
  const session = world.stripe.checkoutSessions.find(({ id }) => checkoutUrl.endsWith(`/${id}`))
  return z.object({ subscription: z.string() }).parse(session).subscription
}

/** Credits tokens as the owner. Throws the whole reply unless it is 200. */
export async function credit(world: TestWorld, userId: string, amount: number, type = 'premium'): Promise<void> {
  const reply = await changeBalance(world, { user_id: userId, amount, type })
  if (reply.status !== 200) throw new Error(`no credit: ${JSON.stringify(reply)}`)
}
