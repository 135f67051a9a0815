import { type Bare, REFERENCES, type Reference } from '../contenders/bare.ts'
import { inTurn } from '../contenders/contenders.ts'
import type { World } from '../contenders/world.ts'
import { closedLoop, type Round } from '../load/closed-loop.ts'
import { callsOf, type Endpoint, expectedOf } from '../load/endpoint.ts'
import type { Scene } from '../load/scene.ts'

/** A round at a world: also what its database did for each request. */
export interface WorldRound extends Round {
  statements: number
  databaseMs: number
}

/** All rounds of one endpoint at one number of connections, by the world's name. */
export interface EndpointRounds {
  endpoint: string
  connections: number
  worlds: Record<string, WorldRound[]>
}

/** All rounds of the bare Workers, at one number of connections. */
export interface ReferenceRounds {
  connections: number
  rounds: Record<Reference, Round[]>
}

export interface Stage {
  world: World
  scene: Scene
}

export const CONNECTIONS = [1, 8]

/** What a round begins with and nobody counts: the runtime compiles what it runs often. */
const WARM_UP = { requests: 60 }

/**
 * Measures endpoints at all worlds, and the bare Workers, round by round: within a round everything has its turn, so
 * that a slow minute of the machine is everybody's.
 */
export async function measureEndpoints(
  stages: Stage[],
  bare: Bare,
  endpoints: Endpoint[],
  { rounds, seconds, connections = CONNECTIONS }: { rounds: number; seconds: number; connections?: number[] },
): Promise<{ endpoints: EndpointRounds[]; references: ReferenceRounds[] }> {
  const measured = connections.flatMap((count) =>
    endpoints.map((endpoint) => ({
      endpoint: endpoint.name,
      connections: count,
      worlds: Object.fromEntries(stages.map(({ world }) => [world.name, [] as WorldRound[]])),
    })),
  )
  const references: ReferenceRounds[] = connections.map((count) => ({
    connections: count,
    rounds: { bare: [], bound: [], cached: [], 'select 1': [] },
  }))
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    for (const reference of references) await referenceRound(bare, reference, seconds)
    for (const entry of measured) {
      const endpoint = endpoints.find(({ name }) => name === entry.endpoint)!
      for (const stage of inTurn(stages, round)) {
        const load = { connections: entry.connections, seconds }
        entry.worlds[stage.world.name]?.push(await worldRound(stage, endpoint, load))
      }
    }
  }
  return { endpoints: measured, references }
}

async function referenceRound(bare: Bare, { connections, rounds }: ReferenceRounds, seconds: number): Promise<void> {
  for (const [name, path] of Object.entries(REFERENCES) as [Reference, string][]) {
    const calls = { next: () => ({ method: 'GET', path }) }
    const load = { url: bare.url, connections, calls, expected: 200 }
    await closedLoop({ ...load, until: WARM_UP })
    rounds[name].push(await closedLoop({ ...load, until: { seconds } }))
  }
}

async function worldRound(
  { world, scene }: Stage,
  endpoint: Endpoint,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<WorldRound> {
  const calls = await callsOf(endpoint, scene)
  const load = { url: world.url, connections, calls, expected: expectedOf(endpoint) }
  await closedLoop({ ...load, until: WARM_UP })
  const before = await world.ask.databaseWork()
  const round = await closedLoop({ ...load, until: { seconds } })
  const after = await world.ask.databaseWork()
  return {
    ...round,
    statements: (after.statements - before.statements) / round.requests,
    databaseMs: (after.milliseconds - before.milliseconds) / round.requests,
  }
}
