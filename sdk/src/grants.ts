import { type Client, unwrap } from './client.ts'
import { type Identity, snakeCase } from './identity.ts'
import type { PriceName } from './register.ts'
import type { EndedGrant, Granted } from './schemas.ts'

/** What a user gets, for how long and why. Either `days` or `endsAt`. */
export interface GrantParams {
  /** The price whose features the user gets, by its slug or its id. Default: none. */
  price?: PriceName
  /** For how many days of 24 hours: 1 to 3650. */
  days?: number
  /** When the access ends: a date, or a time in ISO 8601 with its zone. */
  endsAt?: Date | string
  /** Why, for your colleagues: at most 500 characters. The user never sees it. */
  reason: string
}

export interface EndGrantParams {
  /** The grant's id. */
  grant: string
  /** Why, for your colleagues. */
  reason?: string
}

/** Gives a user access without a payment. */
export function createGrant(
  client: ReturnType<Client>,
  paywall: string,
  { price, days, endsAt, reason, ...who }: Identity & GrantParams,
  header: { 'Idempotency-Key': string },
): Promise<Granted> {
  const body = {
    ...snakeCase(who),
    ...(price !== undefined && { price }),
    ...(days !== undefined && { days }),
    ...(endsAt !== undefined && { ends_at: typeof endsAt === 'string' ? endsAt : endsAt.toISOString() }),
    reason,
  }
  return unwrap(client.POST('/api/v1/paywall/{id}/grants', { params: { path: { id: paywall }, header }, body }))
}

/** Ends a grant now. */
export function endGrant(
  client: ReturnType<Client>,
  paywall: string,
  { grant, reason }: EndGrantParams,
): Promise<EndedGrant> {
  const params = { path: { id: paywall, grant } }
  return unwrap(
    client.POST('/api/v1/paywall/{id}/grants/{grant}/end', {
      params,
      body: { ...(reason !== undefined && { reason }) },
    }),
  )
}
