// npm run bench -- growth: what becomes slower as the tables grow.
// 1. Fill users with all their rows, pending deliveries behind a dead webhook endpoint and for 3,000 others, and expired rows
//    of each kind, size by size.
// 2. At each size, measure every endpoint over one connection, next to the Worker that queries `select 1`.
// 3. At each size, run each cron and time its statements.
// 4. Print all sizes side by side, and mark what is not flat.

import { setTimeout as delay } from 'node:timers/promises'
import type { PrintLine } from '../../cli/command.ts'
import { type Bare, openBare } from '../contenders/bare.ts'
import type { CronRun } from '../contenders/commands.ts'
import { HERE, openContenders } from '../contenders/contenders.ts'
import { openReceivers } from '../events/receivers.ts'
import { fillAbandonedUsers } from '../fill/abandoned-users.ts'
import { fillDeliveries, purgeEvents } from '../fill/deliveries.ts'
import { fillExpired, truncateExpired } from '../fill/expired.ts'
import { type FailingEndpoints, fillFailingDeliveries, fillFailingEndpoints } from '../fill/failing-endpoints.ts'
import { Filler } from '../fill/insert.ts'
import { filledCheckout, filledEmail, fillUsers } from '../fill/users.ts'
import { ENDPOINTS } from '../load/endpoints.ts'
import { exchange, type Scene, setScene } from '../load/scene.ts'
import { filterByName, type Options } from '../options.ts'
import { cronTable, type GrowthStep, growthTable } from '../report/growth-tables.ts'
import { measureEndpoints, type Stage } from './measure-endpoints.ts'

const SIZES = [1_000, 100_000, 1_000_000]
const CRONS = ['deliver-events', 'purge-expired', 'reconcile']

/** How many of the filled users make calls. */
const CALLERS = 200

/** Due deliveries in addition to the blocked ones: enough for some leases. */
const DUE = 20

/** The number of anonymous users who did not return, as a fraction of the size. */
const FORGOTTEN_PART = 10

/** The timeout of a cron, after which its remaining work is deleted. */
const CRON_SECONDS = 60

export async function benchGrowth(options: Options, printLine: PrintLine) {
  await using contenders = await openContenders(options)
  await using receivers = await openReceivers()
  await using bare = await openBare(contenders.worlds[0]!)
  const webhooks = [ALIVE, DEAD].map((receiver) => ({ url: receivers.getUrl(receiver), events: ['payment.failed'] }))
  const stages: Stage[] = []
  for (const world of contenders.worlds) {
    const scene = await setScene(world, { webhooks })
    stages.push({ world, scene })
    await using filler = await Filler.open(world.databaseUrl)
    await fillFailingEndpoints(filler, failingEndpoints(scene.paywallId, 0))
  }
  const steps: GrowthStep[] = []
  let before = 0
  for (const size of SIZES.filter((each) => each <= options.size)) {
    steps.push(await grow(stages, bare, { from: before + 1, to: size }, options, receivers.getUrl))
    before = size
  }
  for (const { world } of stages) {
    printLine(`${world.name === HERE ? '' : '\n'}${growthTable(steps, world.name)}`)
    printLine(`\n${cronTable(steps, world.name)}`)
  }
  return { commits: contenders.commits, result: { steps } }
}

const ALIVE = 1
const DEAD = 2

const WAITING_ENDPOINTS = 3_000

async function grow(
  stages: Stage[],
  bare: Bare,
  rows: { from: number; to: number },
  options: Options,
  getUrl: (receiver: number) => string,
): Promise<GrowthStep> {
  const size = rows.to
  const grown: Stage[] = []
  for (const { world, scene } of stages) {
    process.stderr.write(`${world.name}: filling up to ${size} users\n`)
    await using filler = await Filler.open(world.databaseUrl)
    await fillUsers(filler, rows, scene)
    await fillRest(filler, scene, size, getUrl)
    await filler.vacuum()
    grown.push({ world, scene: { ...scene, people: await callers(scene, size) } })
  }
  const endpoints = filterByName(ENDPOINTS, options.only)
  const measured = await measureEndpoints(grown, bare, endpoints, { ...options, connections: [1] })
  const crons: GrowthStep['crons'] = {}
  for (const stage of grown) crons[stage.world.name] = await fireCrons(stage)
  return { size, ...measured, crons }
}

/** The other webhook endpoints with pending deliveries, which a lease skips. Each has at least one. */
const failingEndpoints = (paywallId: string, size: number): FailingEndpoints => ({
  paywallId,
  webhookEndpoints: WAITING_ENDPOINTS,
  deliveries: Math.max(size / 2, WAITING_ENDPOINTS),
})

/** Creates as many pending deliveries and as many expired rows as there are users. */
async function fillRest(
  filler: Filler,
  { paywallId, priceId }: Scene,
  size: number,
  getUrl: (receiver: number) => string,
) {
  await purgeEvents(filler)
  const alive = getUrl(ALIVE)
  const dead = getUrl(DEAD)
  const users = Math.max(1, Math.floor(size / 100))
  await fillDeliveries(filler, { paywallId, webhookUrl: dead, events: size / 2, users, as: 'blocked' })
  await fillFailingDeliveries(filler, failingEndpoints(paywallId, size))
  await fillDeliveries(filler, { paywallId, webhookUrl: alive, events: DUE, users: DUE, as: 'due' })
  await fillExpired(filler, { paywallId, webhookUrl: alive, users, rows: size })
  await fillAbandonedUsers(filler, { paywallId, priceId, users: Math.floor(size / FORGOTTEN_PART) })
}

/** Signs in some of the filled users, spread over the tables. */
async function callers(scene: Scene, size: number) {
  const numbers = Array.from({ length: CALLERS }, (_, index) => 1 + Math.floor((index * size) / CALLERS))
  const people: Scene['people'] = []
  for (const number of numbers)
    people.push({ ...(await exchange(scene, filledEmail(number))), ...filledCheckout(number) })
  return people
}

async function fireCrons({ world }: Stage): Promise<Record<string, CronRun>> {
  const runs: Record<string, CronRun> = {}
  for (const cron of CRONS) {
    process.stderr.write(`${world.name}: ${cron}\n`)
    const running = world.commands.runCron(cron)
    const isOver = await Promise.race([running.then(() => true), delay(CRON_SECONDS * 1000).then(() => false)])
    if (!isOver) await endWork(world.databaseUrl)
    runs[cron] = await running
  }
  return runs
}

async function endWork(databaseUrl: string): Promise<void> {
  await using filler = await Filler.open(databaseUrl)
  await purgeEvents(filler)
  await truncateExpired(filler)
}
