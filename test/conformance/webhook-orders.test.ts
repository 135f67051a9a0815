import { beforeAll, expect, test } from 'vitest'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { permutations } from '../support/random.ts'
import { until } from '../support/until.ts'
import {
  type Buyer,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  open,
  pay,
  readState,
  readTokens,
} from './buyer.ts'
import { type Shop, useShops } from './shop.ts'
import { eventsSince } from './webhook.ts'

const orders = permutations([0, 1, 2, 3, 4, 5])
/** How many of the 720 orders are tried: `ORDERS=720 npx vitest run test/conformance/webhook-orders.test.ts` tries all. */
const COUNT = Number(process.env.ORDERS ?? (FULL_SIZE ? 72 : 2))
const chosen = orders.filter((_, index) => index % Math.floor(orders.length / COUNT) === 0)

/**
 * How many lives of each processor are played at the same time, each at its own account, whose only webhooks are its
 * own. Between such groups the emulators discard the webhooks that they hold.
 */
const GROUP = 4

const getShop = useShops(GROUP)

/** A buyer whose life at the processor is over, with six of its webhooks, none of them sent. */
interface Life {
  buyer: Buyer
  eventIds: string[]
}

/** Buys and returns. Then holds the webhooks of a renewal, a failed charge and the next one, a partial refund and a cancellation. */
async function live(shop: Shop): Promise<Life> {
  const since = eventsSince(shop)
  const buyer = await open(shop)
  await pay(buyer)
  // The browser is redirected after 2.5 seconds, whether the purchase is stored by then or not.
  const id = await until('the purchase is stored', () => getProcessorId(buyer).catch(() => null))
  const { renew, failCharge, recover, refund, cancel } = shop.there
  await renew(id)
  await failCharge(id)
  await recover(id)
  await refund(id, 100)
  await cancel(id)
  return { buyer, eventIds: six(since()) }
}

/** Evenly from the first to the last; the others are lost. */
const six = (ids: string[]) =>
  [0, 1, 2, 3, 4, 5].flatMap((place) => ids[Math.round((place * (ids.length - 1)) / 5)] ?? [])

/** Sends the webhooks of a life in an order, and returns the responses. */
async function sendInOrder({ buyer, eventIds }: Life, order: number[]): Promise<number[]> {
  const answers: number[][] = []
  for (const place of order) answers.push(await buyer.shop.emulator.resend(eventIds[place]!))
  return [...new Set(answers.flat())]
}

/** What must be the same in all orders. */
async function readOutcome(buyer: Buyer, answers: number[]) {
  const { paid, purchases } = await readState(buyer)
  await expectStoredAsAtProcessor(buyer)
  const states = purchases.map(({ status, cancel_at_period_end, unit_amount }) => ({
    status,
    cancel_at_period_end,
    unit_amount,
  }))
  return { answers, paid, states, tokens: await readTokens(buyer), events: await newEvents(buyer) }
}

type Outcome = Awaited<ReturnType<typeof readOutcome>>

/** By processor, in the order of `chosen`. */
const outcomes = new Map<ProcessorName, Outcome[]>(PROCESSOR_NAMES.map((acquiring) => [acquiring, []]))

/** Plays a life for each order, at all processors at the same time. */
async function playGroup(group: number[][]): Promise<void> {
  const emulators = PROCESSOR_NAMES.map((acquiring) => getShop(acquiring).emulator)
  for (const emulator of emulators) emulator.holdWebhooks()
  const shops = PROCESSOR_NAMES.flatMap((acquiring) => group.map((_, place) => getShop(acquiring, place)))
  const reported = await Promise.all(
    shops.map(async (shop, index) => {
      const life = await live(shop)
      return { buyer: life.buyer, answers: await sendInOrder(life, group[index % group.length]!) }
    }),
  )
  const found = await Promise.all(reported.map(({ buyer, answers }) => readOutcome(buyer, answers)))
  for (const [index, outcome] of found.entries()) outcomes.get(shops[index]!.acquiring)?.push(outcome)
  for (const emulator of emulators) await emulator.sendHeldWebhooks(() => [])
}

beforeAll(async () => {
  for (let at = 0; at < chosen.length; at += GROUP) await playGroup(chosen.slice(at, at + GROUP))
}, 3_600_000)

test.each(PROCESSOR_NAMES)(
  `a life at %s ends the same in ${chosen.length} orders of six of its webhooks`,
  (acquiring) => {
    const [first, ...others] = outcomes.get(acquiring) ?? []
    expect(first).toMatchObject({ answers: [200], states: [{ cancel_at_period_end: true }] })
    expect(first?.events.length).toBeGreaterThan(3)
    expect(others).toHaveLength(chosen.length - 1)
    for (const [index, outcome] of others.entries()) expect(outcome, String(chosen[index + 1])).toEqual(first)
  },
)
