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
/** How many of the 720 orders are tested: `ORDERS=720 npx vitest run test/conformance/webhook-orders.test.ts` tests all. */
const COUNT = Number(process.env.ORDERS ?? (FULL_SIZE ? 72 : 2))
const chosen = orders.filter((_, index) => index % Math.floor(orders.length / COUNT) === 0)

/**
 * How many histories per processor run at the same time, each in its own account, which has no other webhooks. Between such groups
 * the emulators discard the webhooks that they hold.
 */
const GROUP = 4

const getShop = useShops(GROUP)

/** A buyer whose history at the processor is complete, with six of its webhooks, none of them sent. */
interface History {
  buyer: Buyer
  eventIds: string[]
}

/** Buys and returns. Then holds the webhooks of a renewal, a failed charge and the next one, a partial refund and a cancellation. */
async function createHistory(shop: Shop): Promise<History> {
  const since = eventsSince(shop)
  const buyer = await open(shop)
  await pay(buyer)
  // The browser is redirected after 2.5 seconds, even if the purchase is not stored by then.
  const id = await until('the purchase is stored', () => getProcessorId(buyer).catch(() => null))
  const { renew, failCharge, recover, refund, cancel } = shop.account
  await renew(id)
  await failCharge(id)
  await recover(id)
  await refund(id, 100)
  await cancel(id)
  return { buyer, eventIds: pickSix(since()) }
}

/** Picks six events evenly from the first to the last; the others are lost. */
const pickSix = (ids: string[]) =>
  [0, 1, 2, 3, 4, 5].flatMap((index) => ids[Math.round((index * (ids.length - 1)) / 5)] ?? [])

/** Sends the webhooks of a history in the given order, and returns the distinct response statuses. */
async function sendInOrder({ buyer, eventIds }: History, order: number[]): Promise<number[]> {
  const statuses: number[][] = []
  for (const index of order) statuses.push(await buyer.shop.emulator.resend(eventIds[index]!))
  return [...new Set(statuses.flat())]
}

/** The state that must be the same in all orders. */
async function readOutcome(buyer: Buyer, statuses: number[]) {
  const { paid, purchases } = await readState(buyer)
  await expectStoredAsAtProcessor(buyer)
  const states = purchases.map(({ status, cancel_at_period_end, unit_amount }) => ({
    status,
    cancel_at_period_end,
    unit_amount,
  }))
  return { statuses, paid, states, tokens: await readTokens(buyer), events: await newEvents(buyer) }
}

type Outcome = Awaited<ReturnType<typeof readOutcome>>

/** By processor, in the order of `chosen`. */
const outcomes = new Map<ProcessorName, Outcome[]>(PROCESSOR_NAMES.map((acquiring) => [acquiring, []]))

/** Runs a history for each order, at all processors at the same time. */
async function runGroup(group: number[][]): Promise<void> {
  const emulators = PROCESSOR_NAMES.map((acquiring) => getShop(acquiring).emulator)
  for (const emulator of emulators) emulator.holdWebhooks()
  const shops = PROCESSOR_NAMES.flatMap((acquiring) => group.map((_, index) => getShop(acquiring, index)))
  const reported = await Promise.all(
    shops.map(async (shop, index) => {
      const history = await createHistory(shop)
      return { buyer: history.buyer, statuses: await sendInOrder(history, group[index % group.length]!) }
    }),
  )
  const found = await Promise.all(reported.map(({ buyer, statuses }) => readOutcome(buyer, statuses)))
  for (const [index, outcome] of found.entries()) outcomes.get(shops[index]!.acquiring)?.push(outcome)
  for (const emulator of emulators) await emulator.sendHeldWebhooks(() => [])
}

beforeAll(async () => {
  for (let at = 0; at < chosen.length; at += GROUP) await runGroup(chosen.slice(at, at + GROUP))
}, 3_600_000)

test.each(PROCESSOR_NAMES)(`%s: ${chosen.length} orders of six webhooks lead to the same state`, (acquiring) => {
  const [first, ...others] = outcomes.get(acquiring) ?? []
  expect(first).toMatchObject({ statuses: [200], states: [{ cancel_at_period_end: true }] })
  expect(first?.events.length).toBeGreaterThan(3)
  expect(others).toHaveLength(chosen.length - 1)
  for (const [index, outcome] of others.entries()) expect(outcome, String(chosen[index + 1])).toEqual(first)
})
