// npm run bench -- load: latency over load.
// 1. Offer a constant load, increased step by step, to a few endpoints of each world in turns.
// 2. Stop increasing an endpoint's load where all worlds are overloaded.
// 3. Draw p50 and p99 over the offered load, and print them.

import type { PrintLine } from '../../cli/command.ts'
import { HERE, openContenders, orderInRound } from '../contenders/contenders.ts'
import { closedLoop } from '../load/closed-loop.ts'
import { createCalls, type Endpoint, expectedStatus } from '../load/endpoint.ts'
import { ENDPOINTS } from '../load/endpoints.ts'
import { type OpenRound, openLoop } from '../load/open-loop.ts'
import { setScene } from '../load/scene.ts'
import { filterByName, type Options } from '../options.ts'
import { type LoadStep, latencyPicture } from '../report/latency-picture.ts'
import { writeResult } from '../report/result-file.ts'
import { formatNumber, spreadText, table } from '../report/table.ts'
import { spread } from '../statistics.ts'
import type { Stage } from './measure-endpoints.ts'

/** The calls that owners' backends make most. */
const CHARTED = ['user by key', 'debit', 'bootstrap from cache']

/** Requests per second; each step is about 50 % more. */
const OFFERED = [50, 75, 100, 150, 200, 300, 400, 600, 800, 1200]

/** A world is overloaded if it is slower than this. */
const TOO_SLOW_MS = 500
/** A world is overloaded if it answers a smaller share of the offered load. */
const TOO_FEW = 0.9

export async function benchLoad(options: Options, printLine: PrintLine) {
  const charted = filterByName(
    CHARTED.map((name) => ENDPOINTS.find((each) => each.name === name)!),
    options.only,
  )
  await using contenders = await openContenders(options)
  const stages: Stage[] = []
  for (const world of contenders.worlds) stages.push({ world, scene: await setScene(world) })
  const steps: LoadStep[] = []
  for (const endpoint of charted) {
    steps.push(...(await climb(stages, endpoint, options)))
  }
  printLine(loadTable(steps))
  printLine(`\ndrawn in ${writeResult(options, 'svg', latencyPicture(steps, HERE))}`)
  return { commits: contenders.commits, result: { steps } }
}

async function climb(stages: Stage[], endpoint: Endpoint, { rounds, seconds }: Options): Promise<LoadStep[]> {
  const steps: LoadStep[] = []
  let climbing = stages
  for (const { world, scene } of stages) {
    const calls = await createCalls(endpoint, scene)
    await closedLoop({
      url: world.url,
      connections: 8,
      until: { seconds: 1 },
      calls,
      expected: expectedStatus(endpoint),
    })
  }
  for (const offered of OFFERED) {
    process.stderr.write(`${endpoint.name}: ${offered} requests/s\n`)
    const step: LoadStep = {
      endpoint: endpoint.name,
      offered,
      worlds: Object.fromEntries(climbing.map(({ world }) => [world.name, []])),
    }
    for (let round = 0; round < rounds; round++) {
      for (const { world, scene } of orderInRound(climbing, round)) {
        const calls = await createCalls(endpoint, scene)
        const load = { url: world.url, perSecond: offered, seconds, calls, expected: expectedStatus(endpoint) }
        step.worlds[world.name]?.push(await openLoop(load))
      }
    }
    steps.push(step)
    climbing = climbing.filter(({ world }) => keepsUp(step.worlds[world.name] ?? [], offered))
    if (climbing.length === 0) break
  }
  return steps
}

function keepsUp(rounds: OpenRound[], offered: number): boolean {
  const slow = spread(rounds.map(({ p99 }) => p99)).median
  const answered = spread(rounds.map(({ achieved }) => achieved)).median
  return slow < TOO_SLOW_MS && answered > offered * TOO_FEW
}

function loadTable(steps: LoadStep[]): string {
  const rows = steps.flatMap(({ endpoint, offered, worlds }) =>
    Object.entries(worlds).map(([world, rounds]) => [
      `${endpoint}, ${world}`,
      formatNumber(offered),
      ...(['achieved', 'p50', 'p99'] as const).map((name) => spreadText(spread(rounds.map((round) => round[name])))),
    ]),
  )
  return table(['endpoint', 'offered/s', 'answered/s', 'p50 ms', 'p99 ms'], rows)
}
