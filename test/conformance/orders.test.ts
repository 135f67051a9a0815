import { describe, expect, test } from 'vitest'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { permutations } from '../support/random.ts'
import { type Buyer, expectAsThere, hears, idOf, open, pay, stateOf, tokensOf } from './buyer.ts'
import { type Shop, useShops } from './shop.ts'
import { webhooksSince } from './webhook.ts'

const orders = permutations([0, 1, 2, 3, 4, 5])
/** How many of the 720 are tried: `ORDERS=720 npx vitest run test/conformance/orders.test.ts` tries all. */
const COUNT = Number(process.env.ORDERS ?? (process.env.STORM ? 72 : 4))
const chosen = orders.filter((_, index) => index % Math.floor(orders.length / COUNT) === 0)

/** How many lives are told at the same time. Between groups the emulator forgets the webhooks that it holds back. */
const GROUP = 10

const shopOf = useShops()

/** Somebody whose life at the processor is over, and six of its webhooks, of which none was sent. */
interface Life {
  buyer: Buyer
  eventIds: string[]
}

/** Buys and comes back. Then nothing is heard of a renewal, a charge that fails and the next one, a refund in part and a cancellation. */
async function live(shop: Shop): Promise<Life> {
  const since = webhooksSince(shop)
  const buyer = await open(shop)
  await pay(buyer)
  const id = await idOf(buyer)
  const { renew, failCharge, recover, refund, cancel } = shop.there
  await renew(id)
  await failCharge(id)
  await recover(id)
  await refund(id, 100)
  await cancel(id)
  return { buyer, eventIds: six(since().map((webhook) => webhook.id)) }
}

/** From the first to the last, evenly; the others are lost. */
const six = (ids: string[]) =>
  [0, 1, 2, 3, 4, 5].flatMap((place) => ids[Math.round((place * (ids.length - 1)) / 5)] ?? [])

/** Tells a life in an order, and gives what must be the same in all. */
async function tell({ emulator }: Shop, { buyer, eventIds }: Life, order: number[]) {
  const answers: number[][] = []
  for (const place of order) answers.push(await emulator.resend(eventIds[place]!))
  const { paid, purchases } = await stateOf(buyer)
  await expectAsThere(buyer)
  const states = purchases.map(({ status, cancel_at_period_end, unit_amount }) => ({
    ...{ status, cancel_at_period_end, unit_amount },
  }))
  return { answers: new Set(answers.flat()), paid, states, tokens: await tokensOf(buyer), events: await hears(buyer) }
}

describe.each(ACQUIRING)('%s', (acquiring) => {
  test.concurrent(`a life is the same in ${chosen.length} orders of six of its webhooks`, {
    timeout: 3_600_000,
  }, async () => {
    const shop = shopOf(acquiring)
    const results = []
    for (let group = 0; group < chosen.length; group += GROUP) {
      shop.emulator.holdWebhooks()
      const lives: { life: Life; order: number[] }[] = []
      for (const order of chosen.slice(group, group + GROUP)) lives.push({ life: await live(shop), order })
      results.push(...(await Promise.all(lives.map(({ life, order }) => tell(shop, life, order)))))
      await shop.emulator.sendHeldWebhooks(() => [])
    }
    const [first] = results
    expect(first).toMatchObject({ answers: new Set([200]), states: [{ cancel_at_period_end: true }] })
    expect(first?.events.length).toBeGreaterThan(3)
    for (const [index, result] of results.entries()) expect(result, String(chosen[index])).toEqual(first)
  })
})
