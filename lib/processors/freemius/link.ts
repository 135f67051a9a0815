import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { CheckoutOrder } from '../processor.ts'

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

/**
 * A checkout at Freemius is a link with the plan, the pricing and the buyer. The buyer's other choices are hidden, because the purchase is
 * identified by its plan, its pricing and the address. `sandbox` null: live.
 */
export function checkoutLink(
  order: CheckoutOrder & { email: string },
  keys: Keys,
  { origin, sandbox }: { origin: string; sandbox: Date | null },
): string {
  const { plan, pricing } = parsePrice(order.processorPrice)
  const query = new URLSearchParams({
    product_id: keys.productId,
    plan_id: plan,
    pricing_id: pricing,
    billing_cycle: billingCycle(order),
    currency: order.currency.toLowerCase(),
    ...(order.trialDays > 0 && { trial: 'paid' }),
    user_email: order.email,
    readonly_user: '1',
    cancel_url: order.errorUrl,
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
