import * as z from 'zod'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import type { Subscriber } from '../support/subscriber.ts'
import type { TestWorld } from '../support/world.ts'

/** 29.99 USD a month, which is higher per day than the monthly and the yearly price. */
export const team = () =>
  monthly({ slug: 'team', label: 'Team', amount: 29.99, processorPrice: 'price_team', locals: [] })

/** Prices of one paywall. */
export const PRICES = [
  monthly(),
  monthly({
    slug: 'plus',
    amount: 19.99,
    processorPrice: 'price_plus',
    locals: [{ countries: ['IN'], currency: 'INR', amount: 799, processorPrice: 'price_plus_inr' }],
  }),
  team(),
  yearly({ trial_days: 0 }),
  { slug: 'once', label: 'Once', currency: 'USD', amount: 199, processorPrice: 'price_once' },
  monthly({ slug: 'euro', currency: 'EUR', processorPrice: 'price_euro', locals: [] }),
]

/** Calls change-plan for a subscriber with the owner's key, for the price `team`; fields of the body can be added or replaced. */
export function changePlan(
  world: TestWorld,
  { id }: Pick<Subscriber, 'id'>,
  { slug = 'team', body = {}, ...options }: Call & { slug?: string; body?: object } = {},
): Promise<Reply> {
  return call(world, `/api/v1/paywall/${world.paywall.id}/change-plan`, {
    key: world.key,
    ...options,
    body: { userId: id, priceId: getPriceId(world.paywall, slug), ...body },
  })
}

const Money = z.object({ amount: z.int(), currency: z.string() })
const Plan = z.looseObject({ price_slug: z.string().nullable(), unit_amount: z.int() })
const Preview = z.looseObject({
  quote: z.uuid(),
  from: Plan,
  to: Plan,
  when: z.string(),
  due_now: Money,
  credit: Money,
  next: Money.extend({ at: z.iso.datetime() }),
})

/** A successful preview. Throws the whole reply if it is anything else. */
export async function preview(...[world, subscriber, options]: Parameters<typeof changePlan>) {
  const reply = await changePlan(world, subscriber, { ...options, body: { ...options?.body, preview: true } })
  if (reply.status !== 200) throw new Error(`no preview: ${JSON.stringify(reply)}`)
  return Preview.parse(reply.body)
}

const Items = z.object({ data: z.array(z.object({ price: z.object({ id: z.string() }) })) })

/** The prices of a subscriber's subscriptions at Stripe that have not ended. */
export const pricesAtStripe = (world: TestWorld, { customer }: Subscriber): string[] =>
  world.stripe.subscriptions
    .filter((subscription) => subscription.customer === customer && subscription.status !== 'canceled')
    .flatMap(({ items }) => Items.parse(items).data.map(({ price }) => price.id))

/** The amounts of the events `payment.succeeded` about a subscriber, in the order of arrival. */
export async function paidAmounts(world: TestWorld, { id }: Subscriber): Promise<(number | undefined)[]> {
  const events = await ownerEvents(world, id)
  return events.filter(({ type }) => type === 'payment.succeeded').map(({ data }) => data.payment?.amount)
}
