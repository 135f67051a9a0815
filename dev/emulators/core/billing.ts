import { type BillingActions, billingControls } from './controls/billing-controls.ts'
import { type SalesRules, salesDue } from './domain/dues.ts'
import { type CheckoutWords, hostedCheckout, UNKNOWN_CHECKOUT } from './pages/hosted-checkout.ts'
import { portalVisit } from './pages/hosted-portal.ts'
import { formatMoney } from './pages/layout.ts'
import { findVisit } from './pages/visits.ts'

interface Billing extends BillingActions, SalesRules {
  /** How many of an amount's digits stand behind the decimal point at the processor. */
  decimalsOf(currency: string): number
  /** `path` is what the addresses of checkouts begin with, before the id of the page. */
  checkout: Omit<CheckoutWords, 'money'> & { path: string }
  /** The same for portals, and how long one's address works. */
  portal: { path: string; lifetimeSeconds: number }
}

/**
 * The parts of a processor that sells prices on hosted pages, charges by invoice and has a portal: its pages, what falls due
 * in its accounts, and its controls.
 */
export function billing({ decimalsOf, checkout, portal, ...rules }: Billing) {
  const money = (amount: number, currency: string) => formatMoney(amount, currency, decimalsOf(currency))
  return {
    visits: {
      [checkout.path]: findVisit('pages', UNKNOWN_CHECKOUT, (context, page, request) =>
        hostedCheckout(context, page, request, { money, ...checkout }),
      ),
      [portal.path]: portalVisit({
        ...{ money, lifetimeSeconds: portal.lifetimeSeconds },
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
