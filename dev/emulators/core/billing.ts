import { type BillingActions, billingControls } from './controls/billing-controls.ts'
import { type SalesRules, salesDue } from './domain/dues.ts'
import { type CheckoutOptions, hostedCheckout, UNKNOWN_CHECKOUT } from './pages/hosted-checkout.ts'
import { portalVisit } from './pages/hosted-portal.ts'
import { formatMoney } from './pages/layout.ts'
import { findVisit } from './pages/visits.ts'

interface Billing extends BillingActions, SalesRules {
  /** The number of decimals of an amount at the processor. */
  currencyDecimals(currency: string): number
  /** `path`: the path of checkout pages before the page's id. */
  checkout: Omit<CheckoutOptions, 'money'> & { path: string }
  /** The same for portals, with the lifetime of a portal's URL. */
  portal: { path: string; lifetimeSeconds: number }
}

/**
 * The parts of a processor that sells prices on hosted pages, charges by invoice and has a portal: its pages, its due work and
 * its controls.
 */
export function billing({ currencyDecimals, checkout, portal, ...rules }: Billing) {
  const money = (amount: number, currency: string) => formatMoney(amount, currency, currencyDecimals(currency))
  return {
    visits: {
      [checkout.path]: findVisit('pages', UNKNOWN_CHECKOUT, (context, page, request) =>
        hostedCheckout(context, page, request, { money, ...checkout }),
      ),
      [portal.path]: portalVisit({
        money,
        lifetimeSeconds: portal.lifetimeSeconds,
        cancel: (...given) => rules.setCancelled(...given, true),
        undo: (...given) => rules.setCancelled(...given, false),
        change: rules.changePlan,
        ...(rules.schedulePlan && { schedule: rules.schedulePlan }),
      }),
    },
    listDues: salesDue(rules),
    controls: billingControls(rules),
    /** While `slowRefunds` is on, a refund is pending at first. */
    switches: ['slowRefunds'] as const,
  }
}
