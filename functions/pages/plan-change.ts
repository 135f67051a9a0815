// Calls change-plan for a visitor.
import * as z from 'zod'
import { INTERVALS } from '../../lib/processors/processor.ts'
import { callApi, type PagesContext, type Refused } from './call-api.ts'
import { PageOfProcessor } from './page-of-processor.ts'
import type { Site } from './site.ts'
import type { Price, Purchase } from './structure.ts'

const Money = z.object({ amount: z.int(), currency: z.string() })

/** The parts of a preview that the page shows. Amounts are in minor units. */
const Preview = z.object({
  quote: z.string(),
  to: z.object({
    unit_amount: z.int(),
    quantity: z.int(),
    currency: z.string(),
    interval: z.enum(INTERVALS),
    interval_count: z.int(),
  }),
  when: z.enum(['now', 'period_end']),
  effective_at: z.string(),
  due_now: Money,
  credit: Money,
  next: Money.extend({ at: z.string() }),
  estimate: z.boolean(),
  undoes_cancellation: z.boolean(),
})
export type Preview = z.output<typeof Preview>

const Changed = z.object({
  when: z.enum(['now', 'period_end']),
  checkoutUrl: PageOfProcessor.nullable(),
  pending: z.boolean(),
})

/** A change that the visitor may make. */
export interface Change {
  purchase: Purchase
  price: Price
  /** Whether the subscription keeps its price: that undoes a scheduled change. */
  keepsPlan: boolean
  /** The new number of units; undefined: as change-plan has it by default. */
  quantity?: number | undefined
}

/** Returns what a change would cost, or why it is not possible. */
export const previewChange = (c: PagesContext, site: Site, change: Change): Promise<Preview | Refused> =>
  request(c, site, change, Preview, { preview: true })

/** Changes the plan. `key`: the form's own id: a double submit has the same one. */
export const changePlan = (
  c: PagesContext,
  site: Site,
  change: Change,
  { quote, key }: { quote: string; key: string },
): Promise<z.output<typeof Changed> | Refused> =>
  request(c, site, change, Changed, { quote }, { 'Idempotency-Key': key })

const request = <Reply extends z.ZodType>(
  c: PagesContext,
  site: Site,
  { purchase, price, quantity }: Change,
  reply: Reply,
  fields: object,
  headers = {},
) =>
  callApi(c, 'CHANGE_PLAN', reply, {
    path: `/api/v1/paywall/${site.paywallId}/change-plan`,
    token: site.token,
    headers,
    body: { priceId: price.id, subscriptionId: purchase.id, quantity, ...fields },
  })
