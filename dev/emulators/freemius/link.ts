import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod'
import { matches } from '../core/domain/context.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'
import { withQuery } from '../core/pages/html-responses.ts'
import type { EnteredPrice } from '../core/paywalls.ts'
import { readQuery } from '../core/wire/json-fields.ts'
import type { FreemiusAccount } from './accounts.ts'
import { Currency, parsePrice } from './objects/wire.ts'

/*
 * A checkout at Freemius is a link whose query has the plan and the buyer. Nothing is stored before it is paid.
 */

const id = z.string().regex(/^\d+$/)
const flag = z
  .string()
  .default('0')
  .transform((value) => value !== '0' && value !== 'false')

export const BillingCycle = z.enum(['monthly', 'annual', 'lifetime'])

/** The supported parameters of a link with Freemius' defaults. Ignores unknown ones, as Freemius does. */
const LinkQuery = z.object({
  plan_id: id.optional(),
  pricing_id: id.optional(),
  billing_cycle: BillingCycle.default('annual'),
  currency: Currency.default('usd'),
  trial: flag,
  coupon: z.string().optional(),
  hide_coupon: flag,
  user_email: z.email().optional(),
  readonly_user: flag,
  cancel_url: z.url().optional(),
  license_id: id.optional(),
  authorization: z.string().optional(),
  is_payment_method_update: flag,
  s_ctx_ts: z.string().optional(),
  sandbox: z.string().optional(),
})
type LinkQuery = z.output<typeof LinkQuery>

const INTERVALS = { monthly: 'month', annual: 'year', lifetime: null } as const

/** A parsed link. `environment` is 1 in the sandbox. */
export interface Link {
  seller: FreemiusAccount
  price: EnteredPrice
  environment: 0 | 1
  given: LinkQuery
}

/** `others`: additional prices of the product. Null: not sold by the product, or an invalid sandbox token. */
export function readLink(sellers: FreemiusAccount[], others: SoldPrice[], query: string): Link | null {
  const { data: given } = LinkQuery.safeParse(readQuery(query))
  if (!given) return null
  const { plan_id, pricing_id, currency, billing_cycle } = given
  const isWanted = matches({ plan_id, pricing_id, currency, interval: INTERVALS[billing_cycle] })
  const isSold = (price: EnteredPrice) =>
    isWanted({ ...price, ...parsePrice(price), currency: price.currency.toLowerCase() })
  const other = others.map((price) => ({ ...price, trialDays: 0 })).find(isSold)
  const seller = sellers.find(({ prices }) => prices.some(isSold)) ?? (other && sellers[0])
  const price = seller?.prices.find(isSold) ?? other
  const environment = seller && toEnvironment(seller, given)
  return seller && price && environment !== undefined ? { seller, price, environment, given } : null
}

/** The sandbox requires a token derived from the secret key. Its lifetime is not documented; here it never expires. */
function toEnvironment(
  { productId, secretKey, publicKey }: FreemiusAccount,
  { s_ctx_ts, sandbox }: LinkQuery,
): 0 | 1 | undefined {
  if (s_ctx_ts === undefined && sandbox === undefined) return 0
  const token = `${s_ctx_ts}${productId}${secretKey}${publicKey}checkout`
  return createHash('md5').update(token).digest('hex') === sandbox ? 1 : undefined
}

/** Authorises whoever opens a link to update a licence, until a time. The format is ours: sellers pass it on as it is. */
export const authorize = (secretKey: string, license: string, until: number): string =>
  `${until}.${createHmac('sha256', secretKey).update(`${license}.${until}`).digest('hex')}`

/** Whether a link may update a licence. */
export function isAuthorized(secretKey: string, { license_id, authorization = '' }: LinkQuery, now: number): boolean {
  const until = Number(authorization.split('.')[0])
  return until > now && authorization === authorize(secretKey, license_id ?? '', until)
}

/** The signed return URL. The signature covers everything before it. */
export function signedReturn(address: string, data: Record<string, string>, secretKey: string): string {
  const url = withQuery(address, data)
  return `${url}&signature=${createHmac('sha256', secretKey).update(url).digest('hex')}`
}
