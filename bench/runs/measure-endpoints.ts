import { type Bare, REFERENCES, type Reference } from '../contenders/bare.ts'
import { orderInRound } from '../contenders/contenders.ts'
import type { World } from '../contenders/world.ts'
import { closedLoop, type Round } from '../load/closed-loop.ts'
import { createCalls, type Endpoint, expectedStatus } from '../load/endpoint.ts'
import type { Scene } from '../load/scene.ts'

/** The results of a world's round, including the database's work per request. */
export interface WorldRound extends Round {
  statements: number
  databaseMs: number
}

/** All rounds of an endpoint at one number of connections, by world. */
export interface EndpointRounds {
  endpoint: string
  connections: number
  worlds: Record<string, WorldRound[]>
}

/** All rounds of the bare Workers at one number of connections. */
export interface ReferenceRounds {
  connections: number
  rounds: Record<Reference, Round[]>
}

export interface Stage {
  world: World
  scene: Scene
}

export const CONNECTIONS = [1, 8]

/** Unmeasured requests at the start of a round, during which the runtime compiles hot code. */
const WARM_UP = { requests: 60 }

/**
 * Measures the endpoints of all worlds and the bare Workers round by round. Each round measures everything once, so that a slow minute
 * of the machine affects all alike.
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
      for (const stage of orderInRound(stages, round)) {
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
  const calls = await createCalls(endpoint, scene)
  const load = { url: world.url, connections, calls, expected: expectedStatus(endpoint) }
  await closedLoop({ ...load, until: WARM_UP })
  const before = await world.commands.databaseWork()
  const round = await closedLoop({ ...load, until: { seconds } })
  const after = await world.commands.databaseWork()
  return {
    ...round,
    statements: (after.statements - before.statements) / round.requests,
    databaseMs: (after.milliseconds - before.milliseconds) / round.requests,
  }
}
