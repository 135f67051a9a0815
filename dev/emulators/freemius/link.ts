import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod'
import type { FreemiusAccount, FreemiusPrice } from './accounts.ts'

/*
 * A checkout at Freemius is a link that says in its query what is sold, and to whom. Nothing is stored before it is paid.
 */

const flag = z.string().transform((value) => value === '1' || value === 'true')
const id = z.string().regex(/^\d+$/)

/** What the emulator reads of a link, with Freemius' defaults. It ignores what it does not know, as Freemius does. */
const LinkQuery = z.object({
  plan_id: id.optional(),
  pricing_id: id.optional(),
  billing_cycle: z.enum(['monthly', 'annual', 'lifetime']).default('annual'),
  currency: z.enum(['usd', 'eur', 'gbp', 'auto']).default('usd'),
  trial: z.string().optional(),
  user_email: z.email().optional(),
  readonly_user: flag.default(false),
  cancel_url: z.url().optional(),
  s_ctx_ts: z.string().optional(),
  sandbox: z.string().optional(),
})

export interface Link {
  seller: FreemiusAccount
  /** The product's, whichever paywall sells: an owner enters one. */
  returnUrl: string
  price: FreemiusPrice
  /** Null: it is paid at once. */
  trialDays: number | null
  /** Null: the page asks for it. */
  email: string | null
  cancelUrl: string | null
  environment: 0 | 1
}

const INTERVALS = { monthly: 'month', annual: 'year', lifetime: null } as const

/** What a link sells; null if the product does not sell that, or if the proof of a sandbox is wrong. */
export function readLink(sellers: FreemiusAccount[], query: string): Link | null {
  const parsed = LinkQuery.safeParse(Object.fromEntries(new URLSearchParams(query)))
  if (!parsed.success) return null
  const { plan_id, pricing_id, billing_cycle, currency, trial, user_email, cancel_url, ...rest } = parsed.data
  const isMeant = ({ id, currency: code, interval }: FreemiusPrice) => {
    const [plan, pricing] = id.split(':')
    return (
      (plan_id === undefined || plan === plan_id) &&
      (pricing_id === undefined || pricing === pricing_id) &&
      (currency === 'auto' || code.toLowerCase() === currency) &&
      interval === INTERVALS[billing_cycle]
    )
  }
  const seller = sellers.find(({ prices }) => prices.some(isMeant))
  const price = seller?.prices.find(isMeant)
  if (!seller || !price) return null
  const environment = environmentOf(seller, rest)
  if (environment === null) return null
  return {
    ...{ seller, price, environment },
    returnUrl: sellers[0]?.returnUrl ?? seller.returnUrl,
    // A link cannot give a trial to a plan that has none.
    trialDays:
      trial !== undefined && trial !== 'false' && trial !== '0' && price.trialDays > 0 ? price.trialDays : null,
    email: (rest.readonly_user && user_email) || null,
    cancelUrl: cancel_url ?? null,
  }
}

/** A sandbox has to be proved by who knows the secret key. How long a proof holds is not documented; here it does for ever. */
function environmentOf(
  seller: FreemiusAccount,
  { s_ctx_ts, sandbox }: Pick<z.output<typeof LinkQuery>, 's_ctx_ts' | 'sandbox'>,
): 0 | 1 | null {
  if (s_ctx_ts === undefined && sandbox === undefined) return 0
  const { productId, secretKey, publicKey } = seller
  const token = `${s_ctx_ts}${productId}${secretKey}${publicKey}checkout`
  return createHash('md5').update(token).digest('hex') === sandbox ? 1 : null
}

/** The address after a purchase, signed: the signature is over all that stands before it. */
export function signedReturn({ returnUrl, seller: { secretKey } }: Link, data: Record<string, string>): string {
  const separator = returnUrl.includes('?') ? '&' : '?'
  const url = `${returnUrl}${separator}${new URLSearchParams(data)}`
  return `${url}&signature=${createHmac('sha256', secretKey).update(url).digest('hex')}`
}
