import { html } from 'hono/html'
import { computeAmounts, currentTerms } from '../core/domain/amounts.ts'
import { type AccountContext, lookUp } from '../core/domain/context.ts'
import { type PageRecord, SoldPrice, type SubscriptionRecord } from '../core/domain/selling-records.ts'
import { checkoutPage } from '../core/pages/checkout-page.ts'
import { formatMoney } from '../core/pages/layout.ts'
import type { ActionResult, HostedPage } from '../core/pages/visits.ts'
import { cycleText } from '../core/periods.ts'
import { EmulatorError } from '../core/wire/emulator-error.ts'
import { isAuthorized, type Link } from './link.ts'
import { findSubscription } from './objects/license.ts'
import { decimal } from './objects/wire.ts'
import { licenseOwn } from './own.ts'
import { changePlan, chargeFor } from './plan-changes.ts'
import { replace } from './subscriptions.ts'

interface UpgradeOptions {
  /** Where an updated licence's buyer returns to. */
  successUrl(license: PageRecord, data: { action: string; amount: string }): string
}

/**
 * The page of an upgrade link: it changes the plan or the payment method of a licence. Null if the authorization is wrong or has expired, or
 * the licence is of the other mode. Whether a page can be paid twice is UNVERIFIED: here each payment is a change of its own. Upgrades to a
 * lifetime licence are not emulated.
 */
export function hostedUpgrade(context: AccountContext, link: Link, options: UpgradeOptions): HostedPage | null {
  const { seller, price: wanted, environment, given } = link
  const license = lookUp(context, 'pages', given.license_id ?? '')
  const subscription = license && findSubscription(license, context)
  if (!license || !subscription || wanted.interval === null) return null
  if (licenseOwn(license).deleted || licenseOwn(license).environment !== environment) return null
  if (!isAuthorized(seller.secretKey, given, context.now)) return null

  const isPaymentMethod = given.is_payment_method_update
  const price = SoldPrice.parse(wanted)
  const today = isPaymentMethod ? 0 : sumToday(context, subscription, price)
  const action = isPaymentMethod ? 'payment_method_update' : 'license_update'
  const pay = (): ActionResult => {
    try {
      if (isPaymentMethod) replace(context, subscription)
      else changePlan(context, subscription, price)
    } catch (error) {
      if (error instanceof EmulatorError) return { status: error.status, problem: error.message }
      throw error
    }
    return { to: options.successUrl(license, { action, amount: String(decimal(today)) }) }
  }
  return {
    show: (problem) => checkoutPage(toView(license, price, today), problem),
    actions: {
      pay,
      decline: () => ({ status: 402, problem: 'Your card was declined. You can try again with another card.' }),
      cancel: () =>
        given.cancel_url
          ? { to: given.cancel_url }
          : { status: 200, problem: 'The seller has set no page to go back to.' },
    },
  }
}

/** What the change costs, with taxes. */
const sumToday = (context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice) =>
  computeAmounts(currentTerms(subscription), chargeFor(context, subscription, price).lines).total

function toView({ seller, payerEmail }: PageRecord, price: SoldPrice, today: number) {
  const money = (cents: number) => formatMoney(cents, price.currency, 2)
  return {
    title: `Update your license of ${seller}`,
    heading: seller,
    label: price.label,
    price: money(price.amount),
    terms: `${cycleText(price)}, until cancelled. Due today: ${money(today)}`,
    email: { value: payerEmail },
    pay: `Pay ${money(today)}`,
    buttons: { decline: 'Decline the card', cancel: 'Cancel' },
    hint: html`“Pay” succeeds at once. “Decline the card” makes the bank refuse the payment.`,
  }
}
