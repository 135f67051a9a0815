import { type FileJson, paywallFile, writtenWebhooks } from '../support/paywall-file.ts'
import { advanceClock, type Buyer, getProcessorId, newEvents } from './buyer.ts'
import { changePlan, type Plan, sendsPlanChangeWebhook } from './drivers/plans.ts'
import { paywallAt, type Shop, shopAt } from './shop.ts'

/** The shop's monthly and yearly plans. */
export const getPlans = ({ driver: { prices } }: Shop) =>
  ({
    monthly: { price: prices.monthly, amount: 999, interval: 'month' },
    plus: { price: prices.plus, amount: 1999, interval: 'month' },
    yearly: { price: prices.yearly, amount: 8900, interval: 'year' },
  }) satisfies Record<string, Plan>

/** Changes the plan, and waits until the change is stored. Returns the owner's new events. */
export async function changePlanAndSync(buyer: Buyer, plan: Plan): Promise<string[]> {
  await changePlan(buyer.shop, await getProcessorId(buyer), plan)
  const received = await newEvents(buyer)
  return sendsPlanChangeWebhook(buyer.shop.acquiring) ? received : [...received, ...(await advanceClock(buyer, '8d'))]
}

/** Applies the file with changed prices for one paywall. */
export async function sell(
  { world, paywall, acquiring }: Shop,
  change: (prices: FileJson[]) => FileJson[],
): Promise<Shop> {
  const { owner } = world.file
  const prices = change(paywallAt(acquiring).prices as FileJson[])
  const paywalls = world.file.paywalls.map(({ id, processor: { acquiring, credentials } }) => {
    const current = { ...paywallAt(acquiring), id, processor: { acquiring, credentials } }
    return id === paywall.id ? { ...current, prices } : current
  })
  const keys = [{ name: 'backend', secret: world.key }]
  const file = await paywallFile({ owner, keys, webhooks: writtenWebhooks(world.file), paywalls })
  await world.apply(file)
  const applied = file.paywalls.find(({ id }) => id === paywall.id)!
  return shopAt(world, applied, applied)
}
