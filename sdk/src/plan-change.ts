import { type Client, unwrap } from './client.ts'
import type { components } from './generated/api.ts'
import type { PriceName } from './register.ts'
import type { ChangedPlan, PlanPreview } from './schemas.ts'

type Sent = components['schemas']['ChangePlanByUser']

/**
 * A change to another price, by its slug or its id, or to another quantity. `when`: default `now` for a price that is higher per day, else
 * `period_end`.
 */
export type PlanChangeParams = Pick<Sent, 'subscriptionId' | 'quantity' | 'when'> & { price: PriceName }

/** The same, with the quote of a preview: what it showed is charged. */
export type QuotedChangeParams = PlanChangeParams & { quote?: string }

/** Returns what a change to the price with this id would cost. */
export const previewPlanChange = (client: ReturnType<Client>, paywall: string, input: PlanChangeParams) =>
  post(client, paywall, { ...input, preview: true }) as Promise<PlanPreview>

/** Changes to the price with this id. */
export const changePlan = (client: ReturnType<Client>, paywall: string, input: QuotedChangeParams, key: string) =>
  post(client, paywall, input, key) as Promise<ChangedPlan>

function post(
  client: ReturnType<Client>,
  paywall: string,
  { price: priceId, ...input }: QuotedChangeParams & { preview?: boolean },
  key?: string,
) {
  const header = key === undefined ? {} : { 'Idempotency-Key': key }
  const params = { path: { id: paywall }, header }
  return unwrap(client.POST('/api/v1/paywall/{id}/change-plan', { params, body: { ...input, priceId } }))
}
