import type { Context } from 'hono'
import * as z from 'zod'
import { hashOf } from '../../lib/canonical.ts'
import type { Caller } from '../../lib/db/gate.sql.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { newEmail } from '../../lib/identity.ts'
import { parseIdempotencyKey } from '../../lib/parse.ts'
import { userMeta } from '../../lib/user-meta.ts'

/** A start-checkout call (contract section 4.2), normalised; null where it left something out. */
export interface CheckoutRequest {
  /** The Idempotency-Key; a random one if the call brought none. */
  key: string
  hasKey: boolean
  /** Whose key it is: the same key of another user is another key. An owner's is the same by any of its API keys. */
  caller: string
  /** Of what is asked for: the same key with another hash is a mistake. */
  hash: string
  email: string | null
  priceId: string | null
  successUrl: string | null
  errorUrl: string | null
  trialDays: number | null
  ignoreActivePurchase: boolean
  userMeta: Record<string, unknown>
  /** Where a Bearer user is, which decides the price; null for an owner, whose own address says nothing. */
  country: string | null
  /** The currency that an owner asks for; null for a Bearer user. */
  localCurrency: string | null
  /** Where the processor sends the browser back to: the host that was asked. */
  returnOrigin: string
}

/** Left out, null and empty are the same: a form that sends everything is not refused for what it left blank. */
const blank = z
  .literal('')
  .nullish()
  .transform(() => null)

/** A field that may be left blank. Each check of it carries the code: a union passes a failed check's own words on. */
function optional<Schema extends z.ZodType>(code: string, schema: (code: string) => Schema) {
  return z.union([blank, schema(code)], code)
}

const url = (name: string) =>
  optional(`Invalid ${name} format`, (code) => z.url({ protocol: /^https?$/, error: code }).max(2048, code))

const Body = z.object(
  {
    email: optional('Invalid email format', () => newEmail),
    priceId: optional('Invalid priceId format', (code) => z.string().max(100, code)),
    successUrl: url('successUrl'),
    errorUrl: url('errorUrl'),
    shopUrl: url('shopUrl'),
    trial_days: optional('Invalid trial_days', (code) => z.int().min(0, code).max(730, code)),
    ignoreActivePurchase: z.union([blank.transform(() => false), z.boolean()], 'Invalid ignoreActivePurchase'),
    userMeta,
    localCurrency: optional('Invalid localCurrency', (code) =>
      z
        .string()
        .regex(/^[A-Za-z]{3}$/, code)
        .toUpperCase(),
    ),
  },
  'invalid_body',
)

/** What a caller may send: in the Bearer path the token says who buys, so whatever `email` holds is not looked at. */
export function checkoutBody(caller: Caller) {
  return caller.kind === 'owner'
    ? Body
    : Body.extend({
        email: z
          .unknown()
          .optional()
          .transform(() => null),
      })
}

/** Puts a parsed body, the caller and the Idempotency-Key together. */
export async function checkoutRequest(
  c: Context,
  caller: Caller,
  { trial_days: trialDays, ...body }: z.output<typeof Body>,
): Promise<CheckoutRequest> {
  const key = parseIdempotencyKey(c.req)
  const asked = { ...body, trialDays }
  return {
    ...asked,
    key: key ?? crypto.randomUUID(),
    hasKey: key !== null,
    caller: caller.kind === 'owner' ? 'owner' : `user:${caller.userId}`,
    hash: await hashOf(asked),
    country: caller.kind === 'user' ? countryOf(c.req.raw) : null,
    localCurrency: caller.kind === 'owner' ? body.localCurrency : null,
    returnOrigin: new URL(c.req.url).origin,
  }
}
