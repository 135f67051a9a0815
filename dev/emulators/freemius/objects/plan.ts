import type { PlanEntity, PricingEntity } from '@freemius/sdk'
import type { AccountOf } from '../../core/domain/accounts.ts'
import type { FreemiusAccount, FreemiusPrice } from '../accounts.ts'
import { noSuch } from '../errors.ts'
import { currencyOf, decimal, type Full } from './wire.ts'

const CREATED = '2025-01-01 00:00:00'

/** A plan of a product; its trial is the longest that a price of it has. */
export function planObject(account: AccountOf<FreemiusAccount>, id: string): Full<PlanEntity> {
  const prices = pricesOf(account, (price) => price.id.startsWith(`${id}:`))
  if (prices.length === 0) throw noSuch('plans', id)
  const trialDays = Math.max(...prices.map((price) => price.trialDays))
  return {
    ...{ id, created: CREATED, updated: null, plugin_id: account.id, name: `plan-${id}`, title: `Plan ${id}` },
    ...{ description: null, is_free_localhost: true, is_block_features: true, is_block_features_monthly: true },
    ...{ license_type: 0, trial_period: trialDays || null, is_require_subscription: true },
    ...{ support_kb: null, support_forum: null, support_email: null, support_phone: null },
    ...{ is_success_manager: false, is_featured: false, is_hidden: false },
  }
}

/** A pricing of a plan: one currency, with a price for each billing cycle that it is sold in. */
export function pricingObject(account: AccountOf<FreemiusAccount>, plan: string, id: string): Full<PricingEntity> {
  const prices = pricesOf(account, (price) => price.id === `${plan}:${id}`)
  const [first] = prices
  if (!first) throw noSuch('pricings', id)
  const amountOf = (interval: FreemiusPrice['interval']) => {
    const price = prices.find((each) => each.interval === interval)
    return price ? decimal(price.amount) : null
  }
  return {
    ...{ id, created: CREATED, updated: null, plan_id: plan, licenses: 1, currency: currencyOf(first.currency) },
    ...{ monthly_price: amountOf('month'), annual_price: amountOf('year'), lifetime_price: amountOf(null) },
    ...{ is_whitelabeled: false, is_hidden: false },
  }
}

const pricesOf = ({ paywalls }: AccountOf<FreemiusAccount>, isMeant: (price: FreemiusPrice) => boolean) =>
  paywalls.flatMap(({ prices }) => prices.filter(isMeant))
