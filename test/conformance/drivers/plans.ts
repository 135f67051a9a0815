import { recordsOf } from '../../../dev/emulators/core/acts/account-records.ts'
import { findSubscription } from '../../../dev/emulators/mollie/acts.ts'
import type { Acquiring } from '../../../lib/processors/acquiring.ts'
import type { Shop } from '../shop.ts'

/** What a subscription can be changed to, in US cents and tokens. */
export interface Plan {
  /** What the processor knows it by. */
  price: string
  amount: number
  interval: 'month' | 'year'
}

/**
 * Where the difference is paid in the moment of the change, unless nothing is left to pay. Polar makes it part of the next order,
 * and Mollie charges another amount from the next charge on.
 */
export const paysChangesAtOnce = (acquiring: Acquiring) => acquiring !== 'polar' && acquiring !== 'mollie'

/** What an owner sells at the processor that no price of the paywall file names, and that the portal offers, too. */
export async function sellBesides({ world, acquiring, paywall }: Shop, { price, amount, interval }: Plan) {
  if (acquiring === 'mollie') return // a plan there is an amount and an interval
  const currency = acquiring === 'stripe' || acquiring === 'polar' ? 'usd' : 'USD'
  await world[acquiring].setOtherPrices(paywall.id, [
    { id: price, label: 'Team', currency, amount, interval, intervalCount: 1 },
  ])
}

/** The plan is changed: by the buyer in the portal, or where there is none by the owner. */
export async function changePlan(shop: Shop, id: string, { price, amount, interval }: Plan): Promise<void> {
  if (shop.acquiring !== 'mollie') return void (await shop.there.changePlan?.(id, price))
  const { emulator, paywall } = shop
  const { apiKey } = paywall.processor.credentials as { apiKey: string }
  const subscription = findSubscription(recordsOf(emulator, paywall.id), id)
  const url = `${emulator.url}/v2/customers/${subscription?.customer}/subscriptions/${subscription?.id}`
  const reply = await fetch(url, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      amount: { currency: 'USD', value: (amount / 100).toFixed(2) },
      interval: interval === 'year' ? '12 months' : '1 month',
    }),
  })
  if (!reply.ok) throw new Error(`Mollie answers ${reply.status}: ${await reply.text()}`)
}

/** What each processor knows a price by that no paywall file names. */
const UNNAMED: Record<Acquiring, string> = {
  stripe: 'price_team',
  polar: '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0006',
  chargebee: 'team-USD-monthly',
  freemius: '505:606',
  mollie: 'Team',
}

/** 29.99 USD a month, which the owner sells besides. */
export const teamPlan = (acquiring: Acquiring): Plan => ({ price: UNNAMED[acquiring], amount: 2999, interval: 'month' })

/** Whether a webhook tells of a change: if not, it is known by the next read, a week later at most. */
export const tellsOfChanges = (acquiring: Acquiring) => acquiring !== 'mollie'
