import * as z from 'zod'
import { call, type Reply } from './call.ts'
import type { OwnerCall } from './token-calls.ts'
import type { TestWorld } from './world.ts'

const Granted = z.object({
  user_id: z.uuid(),
  grant: z.object({
    id: z.uuid(),
    price_id: z.string().nullable(),
    price_slug: z.string().nullable(),
    features: z.array(z.string()),
    created_at: z.iso.datetime(),
    ends_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  }),
})

export type Granted = z.output<typeof Granted>

type GrantCall = OwnerCall & { paywallId?: string }

/** Gives a user access for 30 days, with fields of the body added or replaced. */
export function createGrant(
  world: TestWorld,
  fields: Record<string, unknown>,
  { paywallId = world.paywall.id, key = world.key, ...options }: GrantCall = {},
): Promise<Reply> {
  const end = 'ends_at' in fields ? {} : { days: 30 }
  return call(world, `/api/v1/paywall/${paywallId}/grants`, {
    ...(key !== null && { key }),
    body: { reason: 'Apology for the outage', ...end, ...fields },
    ...options,
  })
}

export function endGrant(
  world: TestWorld,
  grantId: string,
  { paywallId = world.paywall.id, key = world.key, ...options }: GrantCall = {},
): Promise<Reply> {
  return call(world, `/api/v1/paywall/${paywallId}/grants/${grantId}/end`, {
    method: 'POST',
    ...(key !== null && { key }),
    ...options,
  })
}

/** The body of a grant that was created or ended. Throws the whole reply if it is anything else. */
export function parseGranted(reply: Reply): Granted {
  if (reply.status !== 200) throw new Error(`no grant: ${JSON.stringify(reply)}`)
  return Granted.parse(reply.body)
}
