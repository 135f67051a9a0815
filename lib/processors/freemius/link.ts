import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { CheckoutOrder, PlanChange } from '../processor.ts'

interface Keys {
  productId: string
  publicKey: string
  secretKey: string
}

/** Freemius' names of billing cycles. */
export const billingCycle = ({ recurring }: Pick<CheckoutOrder, 'recurring'>) =>
  recurring === null ? 'lifetime' : recurring.interval === 'month' ? 'monthly' : 'annual'

/** Splits a price into plan and pricing. */
export function parsePrice(processorPrice: string): { plan: string; pricing: string } {
  const [plan = '', pricing = ''] = processorPrice.split(':')
  return { plan, pricing }
}

/** The host and the mode of a link's page. `sandbox` null: live. */
interface PageHost {
  origin: string
  sandbox: Date | null
}

/** What the page of a link sells, and to whom; `email` null: whoever opens it. */
interface Sold extends Pick<CheckoutOrder, 'processorPrice' | 'currency' | 'recurring' | 'email'> {
  /** The other parameters. */
  more: Record<string, string>
}

/** A checkout at Freemius is a link with the plan, the pricing and the buyer, whose page sells a new licence. */
export function checkoutLink(order: CheckoutOrder & { email: string }, keys: Keys, host: PageHost): string {
  const more = {
    ...(order.trialDays > 0 && { trial: 'paid' }),
    ...(order.discount !== undefined && { coupon: order.discount }),
    // Another coupon would replace that of the offer.
    ...((order.options.promotion_codes === false || order.discount !== undefined) && { hide_coupon: '1' }),
    language: pageLanguage(order),
    cancel_url: order.errorUrl,
  }
  return linkTo({ ...order, more }, keys, host)
}

const pageLanguage = ({ options }: Pick<PlanChange, 'options'>) => options?.locale?.replace('-', '_') ?? 'auto'

/**
 * A link whose page changes the plan of a licence, as the official SDK's `setLicenseUpgradeByAuth` makes it. Without the authorization the
 * page would sell a second licence.
 */
export function upgradeLink(
  { to, options, email }: Pick<PlanChange, 'to' | 'options'> & { email: string | null },
  license: { id: string; authorization: string },
  keys: Keys,
  host: PageHost,
): string {
  const more = { license_id: license.id, authorization: license.authorization, language: pageLanguage({ options }) }
  return linkTo({ ...to, recurring: to, email, more }, keys, host)
}

/** The buyer's other choices are hidden, because the purchase is identified by its plan, its pricing and the address. */
function linkTo({ email, more, ...price }: Sold, keys: Keys, { origin, sandbox }: PageHost): string {
  const { plan, pricing } = parsePrice(price.processorPrice)
  const query = new URLSearchParams({
    product_id: keys.productId,
    plan_id: plan,
    pricing_id: pricing,
    billing_cycle: billingCycle(price),
    currency: price.currency.toLowerCase(),
    ...(email !== null && { user_email: email, readonly_user: '1' }),
    ...more,
    hide_licenses: '1',
    disable_licenses_selector: '1',
    show_upsells: '0',
    show_inline_currency_selector: '0',
    ...(sandbox && sandboxParameters(keys, sandbox)),
  })
  return `${origin}/product/${keys.productId}/?${query}`
}

/**
 * The token that authorises a sandbox purchase: it proves that the link's creator knows the secret key. Freemius uses MD5, which workerd's
 * WebCrypto supports and Node's does not, so it comes from a library.
 */
function sandboxParameters({ productId, publicKey, secretKey }: Keys, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const token = bytesToHex(md5(utf8ToBytes(`${timestamp}${productId}${secretKey}${publicKey}checkout`)))
  return { s_ctx_ts: timestamp, sandbox: token }
}
