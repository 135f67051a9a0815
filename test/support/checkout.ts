import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { type Call, call, type Reply } from './call.ts'
import { until } from './until.ts'
import type { TestWorld } from './world.ts'

const Opened = z.object({ checkoutUrl: z.url(), userId: z.uuid(), acquiring: z.string() })
export type Opened = z.output<typeof Opened>

/** The id of a price, by its slug. */
export function getPriceId(paywall: FilePaywall, slug: string): string {
  const price = paywall.prices.find((each) => each.slug === slug)
  if (!price) throw new Error(`the paywall has no price ${slug}`)
  return price.id
}

/** Calls start-checkout for the monthly price, with fields of the body added or replaced. */
export function startCheckout(
  world: TestWorld,
  { paywall, body = {}, ...options }: Call & { paywall: FilePaywall; body?: Record<string, unknown> },
): Promise<Reply> {
  return call(world, `/api/v1/paywall/${paywall.id}/start-checkout`, {
    ...options,
    body: {
      ...('priceId' in body ? {} : { priceId: getPriceId(paywall, 'monthly') }),
      successUrl: 'https://owner.example/thanks?session=__SESSION__',
      errorUrl: 'https://owner.example/sorry?session=__SESSION__',
      ...(options.key !== undefined && { email: newEmail() }),
      ...body,
    },
  })
}

/** The body of a successful start-checkout. Throws the whole reply if it is anything else. */
export function parseOpened(reply: Reply): Opened {
  if (reply.status !== 200) throw new Error(`no checkout was opened: ${JSON.stringify(reply)}`)
  return Opened.parse(reply.body)
}

/** Presses a button of a hosted page. Does not follow the redirect. */
export async function press(
  checkoutUrl: string,
  action: 'pay' | 'later' | 'transfer' | 'decline' | 'cancel',
): Promise<string> {
  const response = await fetch(checkoutUrl, {
    method: 'POST',
    body: new URLSearchParams({ action }),
    redirect: 'manual',
  })
  await response.body?.cancel()
  return response.headers.get('location') ?? ''
}

/**
 * Pays on the hosted page and returns. The purchase is stored when this resolves: the return stores it, or a webhook if the processor
 * took longer than a browser is kept waiting.
 */
export async function payAndReturn(world: TestWorld, checkoutUrl: string): Promise<Reply> {
  const reply = await call(world, await press(checkoutUrl, 'pay'))
  await until('the purchase is stored', async () => {
    const sold = 'select from checkouts where url = $1 and completed_at is not null'
    return (await world.database.query(sold, [checkoutUrl])).rowCount === 1
  })
  return reply
}

/** A whole purchase by an owner's user, from start-checkout to the return. */
export async function buy(
  world: TestWorld,
  order: { paywall: FilePaywall; key: string; email?: string; slug?: string; body?: Record<string, unknown> },
): Promise<Opened> {
  const { paywall, key, email = newEmail(), slug = 'monthly', body } = order
  const checkout = parseOpened(
    await startCheckout(world, {
      paywall,
      key,
      headers: { 'idempotency-key': randomUUID() },
      body: { email, priceId: getPriceId(paywall, slug), ...body },
    }),
  )
  await payAndReturn(world, checkout.checkoutUrl)
  return checkout
}

export const newEmail = (): string => `user-${randomUUID()}@buyers.dev`
