import type { AccountContext } from '../../core/domain/context.ts'
import { OTHER_PRICES } from '../../core/domain/plan-changes.ts'
import type { CustomerRecord } from '../../core/domain/selling-records.ts'
import type { EnteredPrice } from '../../core/paywalls.ts'
import { listSellers } from '../accounts.ts'
import { noSuch } from '../errors.ts'
import { complete, dateTime, decimal, toCurrency } from './wire.ts'

/* Plans, pricings and users of a product. */

/** A plan of a product. Its trial is the longest of its prices. */
export function planObject(context: AccountContext, id: string) {
  const prices = listPrices(context, (price) => price.id.startsWith(`${id}:`))
  if (prices.length === 0) throw noSuch('plans', id)
  const trial_period = Math.max(...prices.map(({ trialDays }) => trialDays)) || null
  return complete('plan', { id, plugin_id: context.account.id, name: `plan-${id}`, title: `Plan ${id}`, trial_period })
}

/** A pricing of a plan: one currency, with a price for each billing cycle. */
export function pricingObject(context: AccountContext, plan: string, id: string) {
  const prices = listPrices(context, (price) => price.id === `${plan}:${id}`)
  const [first] = prices
  if (!first) throw noSuch('pricings', id)
  const findAmount = (interval: EnteredPrice['interval']) => {
    const price = prices.find((each) => each.interval === interval)
    return price ? decimal(price.amount) : null
  }
  return complete('pricing', {
    id,
    plan_id: plan,
    currency: toCurrency(first.currency),
    monthly_price: findAmount('month'),
    annual_price: findAmount('year'),
    lifetime_price: findAmount(null),
  })
}

function listPrices(context: AccountContext, isMeant: (price: EnteredPrice) => boolean): EnteredPrice[] {
  const others = OTHER_PRICES.read(context).map((price) => ({ ...price, trialDays: 0 }))
  return [...listSellers(context).flatMap(({ prices }) => prices), ...others].filter(isMeant)
}

export const userObject = ({ id, created, email }: CustomerRecord) =>
  complete('user', {
    id,
    created: dateTime(created),
    email: email ?? '',
    secret_key: `sk_${id}`,
    public_key: `pk_${id}`,
  })
