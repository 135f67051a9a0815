// npm run bench -- events: how soon webhooks are sent, and how one dead webhook endpoint affects the others.
// 1. Twenty webhook endpoints under a steady rate of debits: from the commit to the first attempt.
// 2. The same for nineteen of them while one accepts requests and never responds.
// 3. The deliveries per second to one webhook endpoint with pending events of few users, with half a million blocked at another, and
//    with half a million due later at three thousand others.

import { setTimeout as delay } from 'node:timers/promises'
import type { PrintLine } from '../../cli/command.ts'
import { HERE, openContenders, orderInRound } from '../contenders/contenders.ts'
import { openReceivers, type Receivers } from '../events/receivers.ts'
import { fillDeliveries, purgeEvents } from '../fill/deliveries.ts'
import { type FailingEndpoints, fillFailingDeliveries, fillFailingEndpoints } from '../fill/failing-endpoints.ts'
import { Filler } from '../fill/insert.ts'
import { fillUsers } from '../fill/users.ts'
import { createCalls } from '../load/endpoint.ts'
import { ENDPOINTS } from '../load/endpoints.ts'
import { openLoop } from '../load/open-loop.ts'
import { setScene } from '../load/scene.ts'
import type { Options } from '../options.ts'
import { type EventRound, eventTable } from '../report/event-table.ts'
import { percentile } from '../statistics.ts'
import type { Stage } from './measure-endpoints.ts'

const RECEIVER_COUNT = 20
const ALIVE = 1
const DOWN = RECEIVER_COUNT

/** Debits per second. They cause 80 deliveries per second, well below the capacity of one consumer. */
const DEBITS_A_SECOND = 4

/** The timeout for the remaining deliveries of a scenario. */
const TIMEOUT_SECONDS = 20
/** How long a backlog is measured. */
const BACKLOG_SECONDS = 10

/** If nothing arrives for this long, no run of the cron is in progress. */
const IDLE_MS = 1_000

/** The pending deliveries of the measured webhook endpoint while others have many more. */
const SMALL_BACKLOG = 3_000
const BLOCKED = 500_000
const BLOCKED_USERS = 1_000

const failingEndpoints = ({ scene: { paywallId } }: Stage): FailingEndpoints => ({
  paywallId,
  webhookEndpoints: 3_000,
  deliveries: BLOCKED,
})

export async function benchEvents(options: Options, printLine: PrintLine) {
  await using contenders = await openContenders(options)
  await using receivers = await openReceivers()
  const urls = Array.from({ length: RECEIVER_COUNT }, (_, index) => receivers.getUrl(index + 1))
  const webhooks = urls.map((url) => ({ url, events: ['balance.changed'] }))
  const stages: Stage[] = []
  for (const world of contenders.worlds) stages.push({ world, scene: await setScene(world, { webhooks }) })
  const rounds = Object.fromEntries(stages.map(({ world }) => [world.name, [] as EventRound[]]))
  for (const stage of stages) {
    await using filler = await Filler.open(stage.world.databaseUrl)
    await fillUsers(filler, { from: 1, to: BLOCKED_USERS }, stage.scene)
    await fillFailingEndpoints(filler, failingEndpoints(stage))
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const stage of orderInRound(stages, round)) {
      process.stderr.write(`round ${round + 1} of ${options.rounds}: ${stage.world.name}\n`)
      rounds[stage.world.name]?.push(await eventRound(stage, receivers, options.seconds * 5))
    }
  }
  printLine(eventTable(rounds, HERE, options.against))
  return { commits: contenders.commits, result: { rounds } }
}

async function eventRound(stage: Stage, receivers: Receivers, seconds: number): Promise<EventRound> {
  await using filler = await Filler.open(stage.world.databaseUrl)
  await clearEvents(filler, receivers) // creating the scene's people caused events
  const everyone = await measureFirstAttempts(stage, receivers, { seconds, hanging: false })
  await clearEvents(filler, receivers)
  const others = await measureFirstAttempts(stage, receivers, { seconds, hanging: true })
  await clearEvents(filler, receivers)

  const { paywallId } = stage.scene
  const backlog = { paywallId, webhookUrl: receivers.getUrl(ALIVE), users: 24, as: 'due' as const }
  await fillDeliveries(filler, { ...backlog, events: 13_700 })
  const alone = await measureBacklog(stage, receivers, filler)
  const down = { paywallId, webhookUrl: receivers.getUrl(DOWN), as: 'blocked' as const }
  await fillDeliveries(filler, { ...down, events: BLOCKED, users: BLOCKED_USERS })
  await fillDeliveries(filler, { ...backlog, events: SMALL_BACKLOG })
  const withOneBlocked = await measureBacklog(stage, receivers, filler)
  await fillFailingDeliveries(filler, failingEndpoints(stage))
  await fillDeliveries(filler, { ...backlog, events: SMALL_BACKLOG })
  const withManyLater = await measureBacklog(stage, receivers, filler)
  return {
    'first attempt, p50 ms': everyone.p50,
    'first attempt, p99 ms': everyone.p99,
    'one endpoint hangs: first attempt at the others, p50 ms': others.p50,
    'one endpoint hangs: first attempt at the others, p99 ms': others.p99,
    'first attempts that were too late': everyone.missing + others.missing,
    'backlog of 13,700 (24 users): deliveries/s': alone,
    'backlog of 3,000, 500,000 blocked at another endpoint: deliveries/s': withOneBlocked,
    'backlog of 3,000, 500,000 due later at 3,000 endpoints: deliveries/s': withManyLater,
  }
}

/** Debits at a steady rate; returns the delay of first attempts at the responding webhook endpoints. */
async function measureFirstAttempts(
  { world, scene }: Stage,
  receivers: Receivers,
  { seconds, hanging }: { seconds: number; hanging: boolean },
): Promise<{ p50: number; p99: number; missing: number }> {
  if (hanging) receivers.hanging.add(DOWN)
  const debit = ENDPOINTS.find(({ name }) => name === 'debit')!
  const calls = await createCalls(debit, scene)
  await openLoop({ url: world.url, perSecond: DEBITS_A_SECOND, seconds, calls, expected: 200 })
  const expected = Math.round(DEBITS_A_SECOND * seconds) * (RECEIVER_COUNT - receivers.hanging.size)
  const arrived = () => receivers.arrivals.filter(({ receiver }) => !receivers.hanging.has(receiver))
  const until = Date.now() + TIMEOUT_SECONDS * 1000
  while (arrived().length < expected && Date.now() < until) await delay(50)
  const waits = arrived().map(({ at, happenedAt }) => at - happenedAt)
  const sorted = waits.toSorted((one, other) => one - other)
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), missing: expected - sorted.length }
}

/** Runs the cron on the backlog and counts the deliveries per second to the live webhook endpoint. */
async function measureBacklog({ world }: Stage, receivers: Receivers, filler: Filler): Promise<number> {
  await filler.vacuum()
  const startedAt = Date.now()
  const cronRun = world.commands.runCron('deliver-events')
  const isOver = await Promise.race([cronRun.then(() => true), delay(BACKLOG_SECONDS * 1000).then(() => false)])
  const times = receivers.arrivals.filter(({ receiver }) => receiver === ALIVE).map(({ at }) => at)
  await clearEvents(filler, receivers)
  await cronRun
  const seconds = isOver ? (Math.max(startedAt + 1, ...times) - startedAt) / 1000 : BACKLOG_SECONDS
  return times.length / seconds
}

/** Deletes the pending events and waits until no more webhooks arrive. */
async function clearEvents(filler: Filler, receivers: Receivers): Promise<void> {
  await purgeEvents(filler)
  do {
    receivers.reset()
    await delay(IDLE_MS)
  } while (receivers.arrivals.length > 0)
}
