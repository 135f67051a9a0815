import { randomBytes } from 'node:crypto'
import type { FilePaywall, PaywallFile } from '../../../cli/paywall-file/file.ts'
import type { PaywallOf } from '../core/domain/accounts.ts'
import type { SoldPrice } from '../core/domain/selling-records.ts'

/**
 * What a pricing of a plan costs in one billing cycle: its `id` is `plan_id:pricing_id`, which the monthly, the annual and the
 * lifetime price of a pricing have in common.
 */
export interface FreemiusPrice extends SoldPrice {
  /** Of the plan; 0: the plan has no trial. */
  trialDays: number
}

/** A paywall's Freemius product. Webhooks are signed with the product's secret key. */
export interface FreemiusAccount extends PaywallOf {
  paywallName: string
  productId: string
  publicKey: string
  secretKey: string
  apiKey: string
  /** Where buyers go after a purchase, as the owner has entered it in the dashboard. */
  returnUrl: string
  prices: FreemiusPrice[]
}

/** Credentials as Freemius makes them, for a demo. */
export const demoCredentials = () => ({
  productId: String(randomBytes(3).readUIntBE(0, 3)),
  publicKey: `pk_${randomBytes(15).toString('hex')}`,
  secretKey: `sk_${randomBytes(15).toString('hex')}`,
  apiKey: randomBytes(20).toString('hex'),
})

/** The Freemius products that the emulator is to have. Each owner has entered the address of its paywall for signed returns. */
export function accountsOf(files: PaywallFile[], serviceUrl: () => string): FreemiusAccount[] {
  const returnUrl = (paywallId: string) => `${serviceUrl()}/return/freemius/${paywallId}`
  return files.flatMap(({ paywalls }) => paywalls.flatMap((paywall) => accountOf(paywall, returnUrl)))
}

function accountOf(paywall: FilePaywall, returnUrl: (paywallId: string) => string): FreemiusAccount[] {
  const { id, name, processor, prices } = paywall
  if (processor.acquiring !== 'freemius') return []
  const { credentials } = processor
  const sold = prices.flatMap(pricesOf)
  const account = { paywallId: id, paywallName: name, webhookSecret: credentials.secretKey, returnUrl: returnUrl(id) }
  return [{ ...account, ...credentials, prices: sold }]
}

/** A pricing has one currency, so each local variant of a price is another pricing at Freemius. */
function pricesOf({ label, interval, interval_count, trial_days, locals, ...price }: FilePaywall['prices'][number]) {
  return [price, ...locals].map(
    ({ processor_price, currency, amount }): FreemiusPrice => ({
      ...{ id: processor_price, label, currency, amount, interval, intervalCount: interval_count },
      trialDays: trial_days,
    }),
  )
}
