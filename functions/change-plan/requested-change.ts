import type * as z from 'zod'
import type { SealedAccount } from '../../lib/processors/account.ts'
import type { PlanChange, PurchaseStatus } from '../../lib/processors/processor.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import type { Changed, ClaimRefusal, OrderRefusal } from './contract.ts'

/** A change of plan as the database stored it: see plan_change_json. Times are ISO text, amounts in minor units. */
export interface RequestedChange extends Pick<z.output<typeof Changed>, 'subscription_id' | 'from' | 'to'> {
  owner_id: string
  id: string
  /** Part of the processor's idempotency key; incremented after each response, so that a retry is a new call. */
  attempt: number
  account: SealedAccount
  processor_id: string
  processor_price: string
  takes_effect: 'now' | 'period_end'
  priced_at: string
  /** The previewed amount; null if none was previewed. */
  due_now: number | null
  expires_at: string
  is_cancelled: boolean
  /** `settings.checkout` of the paywall when the change was first requested: a retry must open the same page. */
  options: PlanChange['options']
}

/** `status`, `acquiring`: of the subscription, if one was found. `wait`: seconds until a user may call again. */
export type Refused<Refusal = ClaimRefusal> = {
  verdict: Refusal
  status?: PurchaseStatus
  acquiring?: ProcessorName
  wait?: number
}

/** The result of preview_plan_change. */
export type PreviewResult = Refused<OrderRefusal> | { verdict: 'quoted'; change: RequestedChange }

/** The result of claim_plan_change. `in_progress`: another attempt holds the claim. `reply` is a response's JSON. */
export type ClaimResult =
  | Refused
  | { verdict: 'in_progress' }
  | { verdict: 'replay'; reply: string }
  | { verdict: 'claimed'; change: RequestedChange }

/** The change in the form that processors take. */
export function toPlanChange(change: RequestedChange): PlanChange {
  const { unit_amount: amount, quantity, currency, interval, interval_count: intervalCount } = change.to
  return {
    key: `${change.id}:${change.attempt}`,
    subscriptionId: change.processor_id,
    to: { processorPrice: change.processor_price, currency, amount, quantity, interval, intervalCount },
    when: change.takes_effect,
    pricedAt: new Date(change.priced_at),
    options: change.options,
  }
}
