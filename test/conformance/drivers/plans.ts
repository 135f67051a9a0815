import { accountRecords } from '../../../dev/emulators/core/acts/account-records.ts'
import { Refused } from '../../../dev/emulators/core/acts/refused.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import { findSubscription } from '../../../dev/emulators/mollie/acts.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import { press } from '../../support/checkout.ts'
import type { Shop } from '../shop.ts'
import { beforeWebhooksArrive } from './missed-webhooks.ts'

/** What a subscription can be changed to, in US cents and tokens. */
export interface Plan {
  /** The processor's id of the price. */
  price: string
  amount: number
  interval: 'month' | 'year'
  /** US dollars by default. */
  currency?: string
}

/**
 * Whether the difference is charged immediately, unless it is zero. Polar adds it to the next order, and Mollie charges the new
 * amount from the next charge on.
 */
export const paysChangesAtOnce = (acquiring: ProcessorName) => acquiring !== 'polar' && acquiring !== 'mollie'

/** Whether every change waits until its buyer has paid it on a page of the processor. */
export const paysEveryChangeOnPage = (acquiring: ProcessorName) => acquiring === 'freemius'

/** Whether a change whose charge is declined waits for a payment on a page of the processor. Elsewhere it is refused. */
export const paysDeclinedChangeOnPage = (acquiring: ProcessorName) =>
  acquiring === 'stripe' || acquiring === 'chargebee' || acquiring === 'mollie' || paysEveryChangeOnPage(acquiring)

/** Processors that may make a change although its charge is declined: it is then past due, and paid on another page. */
export const MAY_MAKE_DECLINED_CHANGES = ['chargebee'] as const

/** Makes Chargebee refuse a change whose charge is declined. Its emulator makes it by default; which one is right, no document says. */
export async function refuseDeclinedChanges({ world, acquiring, paywall }: Shop, refuses = true): Promise<void> {
  if (acquiring === 'chargebee') await world.chargebee.setDeclinedChange(paywall.id, refuses ? 'refused' : 'made')
}

/** Adds prices at the processor and to its portal that are not in the paywall file, so that purchases of them are unmatched. */
export async function addUnmatchedPrices(
  { world, acquiring, paywall }: Pick<Shop, 'acquiring' | 'paywall'> & { world: Emulators },
  ...plans: Plan[]
) {
  if (acquiring === 'mollie') return // a Mollie plan is only an amount and an interval
  const currency = acquiring === 'stripe' || acquiring === 'polar' ? 'usd' : 'USD'
  const prices = plans.map(({ price: id, ...plan }) => ({ id, label: 'Team', currency, intervalCount: 1, ...plan }))
  await world[acquiring].setOtherPrices(paywall.id, prices)
}

/** Changes the plan: as the buyer in the portal, or as the owner if there is no portal. */
export async function changePlan(
  { world, acquiring, paywall, account }: Pick<Shop, 'acquiring' | 'paywall' | 'account'> & { world: Emulators },
  id: string,
  { price, amount, interval, currency = 'USD' }: Plan,
): Promise<void> {
  if (acquiring !== 'mollie') return void (await account.changePlan?.(id, price))
  const subscription = findSubscription(accountRecords(world.mollie, paywall.id), id)
  if (!subscription) throw new Refused(`Mollie has no subscription of ${id}`)
  await world.mollie.update(subscription.id, {
    amount: { currency, value: (amount / 100).toFixed(2) },
    interval: interval === 'year' ? '12 months' : '1 month',
  })
}

/** Each processor's ids of two prices that are in no paywall file. */
const UNMATCHED: Record<ProcessorName, readonly [string, string]> = {
  stripe: ['price_team', 'price_firm'],
  polar: ['2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0006', '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0007'],
  chargebee: ['team-USD-monthly', 'firm-USD-monthly'],
  freemius: ['505:606', '506:607'],
  mollie: ['Team', 'Firm'],
}

/** The amount of `teamPlan`. */
export const TEAM_CENTS = 2999

/** 29.99 USD a month, not in the paywall file. */
export const teamPlan = (acquiring: ProcessorName): Plan => ({
  price: UNMATCHED[acquiring][0],
  amount: TEAM_CENTS,
  interval: 'month',
})

/** 49.99 USD a month, not in the paywall file. */
export const firmPlan = (acquiring: ProcessorName): Plan => ({
  price: UNMATCHED[acquiring][1],
  amount: 4999,
  interval: 'month',
})

/** Whether the processor sends a webhook for a change of plan. If not, reconcile finds it within a week. */
export const sendsPlanChangeWebhook = (acquiring: ProcessorName) => acquiring !== 'mollie'

/** Pays on a page, and changes the plan before the purchase is stored. */
export async function payAndChange(shop: Shop, checkoutUrl: string, plan: Plan): Promise<void> {
  const { emulator, acquiring, account } = shop
  const change = () => changePlan(shop, account.sales().at(-1)!.processorId, plan)
  if (acquiring !== 'mollie') {
    return beforeWebhooksArrive(shop, async () => {
      await press(checkoutUrl, 'pay')
      await change()
    })
  }
  // The subscription is created once its first payment is read.
  emulator.onCall = async ({ method, path }, run) => {
    const reply = await run()
    if (method === 'POST' && path.endsWith('/subscriptions')) await change()
    return reply
  }
  await press(checkoutUrl, 'pay')
  await emulator.drainWebhooks()
  emulator.onCall = undefined
}

/** Processors that can charge the proration of a change of plan with the next period. */
export const LEAVES_PENDING = ['stripe', 'polar', 'chargebee'] as const

/** Charges the proration with the next period. That is Polar's default. */
export async function leavePending({ world, acquiring, paywall }: Shop): Promise<void> {
  if (acquiring === 'stripe') await world.stripe.setProration(paywall.id, 'create_prorations')
  if (acquiring === 'chargebee') await world.chargebee.setInvoiceImmediately(paywall.id, false)
}

/** Whether a pending proration can be deleted before it is charged. */
export const deletesPending = (acquiring: ProcessorName) => acquiring !== 'polar'

/** Processors whose portal or dashboard can change a quantity. */
export const CHANGES_QUANTITIES = ['stripe', 'chargebee'] as const

/** Changes the quantity of a subscription there. */
export const changeQuantity = (
  { world }: { world: Pick<Emulators, (typeof CHANGES_QUANTITIES)[number]> },
  acquiring: (typeof CHANGES_QUANTITIES)[number],
  id: string,
  quantity: number,
) => world[acquiring].changeQuantity(id, quantity)

/** Processors that know the sum of all units only. */
export const KNOWS_ONLY_SUMS = ['mollie'] as const

/** Whether the discount of a period that is paid already is taken off the new price, too. */
export const reducesChanges = (acquiring: ProcessorName): boolean => acquiring === 'polar'
