import { type AccountContext, find } from '../core/domain/context.ts'
import type { AttemptRecord } from '../core/domain/money-records.ts'
import { type Notice, noticePage } from '../core/pages/layout.ts'
import type { HostedPage } from '../core/pages/visits.ts'

export const UNKNOWN_RECEIPT: Notice = { title: 'There is no such receipt', text: 'Check the address.' }

/**
 * The page at a charge's `receipt_url`, which is "kept up-to-date to the latest state of the charge" (docs.stripe.com/api/charges/object).
 * That it expires after 30 days, as Stripe's do, is left out.
 */
export function receipt(
  context: AccountContext,
  charge: AttemptRecord,
  money: (amount: number, currency: string) => string,
): HostedPage {
  const { amount, currency, description } = find(context, 'payments', charge.payment)
  return {
    show: () => noticePage({ title: 'Receipt', text: `${description}: ${money(amount, currency)}` }),
    actions: {},
  }
}
