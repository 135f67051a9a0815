import * as z from 'zod'
import { call } from './call.ts'
import type { TestWorld } from './world.ts'

const Purchase = z.looseObject({
  id: z.uuid(),
  status: z.string(),
  interval: z.string().nullable(),
  unit_amount: z.int(),
  quantity: z.int(),
  currency: z.string(),
  current_period_end: z.iso.datetime().nullable(),
  scheduled_change: z.looseObject({ price_slug: z.string().nullable(), quantity: z.int() }).nullable(),
  price_slug: z.string().nullable(),
  cancel_at_period_end: z.boolean(),
  cancel_at: z.iso.datetime().nullable(),
  canceled_at: z.iso.datetime().nullable(),
  access_until: z.iso.datetime().nullable(),
  last_payment: z
    .object({
      amount: z.int(),
      tax: z.int().nullable(),
      discount: z.int().nullable(),
      currency: z.string(),
      paid_at: z.iso.datetime(),
      receipt_url: z.url().nullable(),
    })
    .nullable(),
})
const UserState = z.object({
  balances: z.array(z.object({ type: z.string(), count: z.int() })),
  purchases: z.array(Purchase),
  being_replaced: z.array(z.string()),
  paid: z.boolean(),
  access_until: z.iso.datetime().nullable(),
  grants: z.array(z.looseObject({ id: z.uuid() })),
  features: z.array(z.string()),
})
export type UserState = z.output<typeof UserState>

/** A user's state as the owner reads it. */
export async function userState(
  world: TestWorld,
  userId: string,
  { paywallId = world.paywall.id, key = world.key } = {},
): Promise<UserState> {
  const reply = await call(world, `/api/v1/paywall/${paywallId}/user?user_id=${userId}`, { key })
  if (reply.status !== 200) throw new Error(`no user state: ${JSON.stringify(reply)}`)
  return UserState.parse(reply.body)
}

/** The balances of a user by type. Throws if one is not the sum of its ledger. */
export async function verifiedBalances(world: TestWorld, userId: string): Promise<Record<string, number>> {
  const { rows } = await world.database.query<{ type: string; count: number; sum: number }>(
    `select type, count::int, (select coalesce(sum(delta), 0)::int from ledger l
       where (l.paywall_id, l.user_id, l.type) = (b.paywall_id, b.user_id, b.type)) as sum
     from balances b where user_id = $1`,
    [userId],
  )
  const wrong = rows.filter(({ count, sum }) => count !== sum)
  if (wrong.length > 0) throw new Error(`balances that are not the sum of their ledger: ${JSON.stringify(wrong)}`)
  return Object.fromEntries(rows.map(({ type, count }) => [type, count]))
}
