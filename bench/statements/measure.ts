import pg from 'pg'
import * as z from 'zod'
import { orderInRound } from '../contenders/contenders.ts'
import { CONNECTIONS } from '../runs/measure-endpoints.ts'
import { percentile } from '../statistics.ts'
import { asNewRequest, type CapturedEndpoint, type Sample } from './capture.ts'

/** A world's statements and database. */
export interface CapturedWorld {
  name: string
  databaseUrl: string
  statements: CapturedEndpoint[]
}

/** One round of a statement. Times are in milliseconds. */
export interface StatementRound {
  calls: number
  perSecond: number
  mean: number
  p99: number
}

/** All rounds of a statement of an endpoint. */
export interface StatementRounds {
  endpoint: string
  position: number
  connections: number
  worlds: Record<string, StatementRound[]>
  /** The verdicts by world, which show whether the call took the endpoint's path. */
  verdicts: Record<string, string[]>
}

/**
 * Calls the database directly, as pgbench would, without Workers and HTTP: each connection stays open and sends an endpoint's
 * statements one after the other, unnamed, as Neon's proxy does.
 */
export async function measureStatements(
  worlds: CapturedWorld[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<StatementRounds[]> {
  const all = new Map<string, StatementRounds>()
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`statements, round ${round + 1} of ${rounds}\n`)
    for (const connections of CONNECTIONS) {
      for (const { endpoint } of worlds[0]?.statements ?? []) {
        for (const world of orderInRound(worlds, round)) {
          const captured = world.statements.find((each) => each.endpoint === endpoint)
          if (!captured) continue
          const positions = await measureRound(world.databaseUrl, captured.samples, { connections, seconds })
          for (const [index, { times, verdicts }] of positions.entries()) {
            const key = `${endpoint} ${index + 1} ${connections}`
            const entry = all.get(key) ?? { endpoint, position: index + 1, connections, worlds: {}, verdicts: {} }
            all.set(key, entry)
            const earlier = entry.worlds[world.name] ?? []
            entry.worlds[world.name] = [...earlier, summarizeRound(times, connections)]
            entry.verdicts[world.name] = [...verdicts]
          }
        }
      }
    }
  }
  return [...all.values()]
}

interface StatementSamples {
  times: number[]
  verdicts: Set<string>
}

async function measureRound(
  databaseUrl: string,
  samples: Sample[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<StatementSamples[]> {
  const positions = samples[0]!.statements.map((): StatementSamples => ({ times: [], verdicts: new Set() }))
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: databaseUrl }))
  try {
    await Promise.all(clients.map((client) => client.connect()))
    const until = performance.now() + seconds * 1000
    await Promise.all(
      clients.map(async (client, first) => {
        // Interleaved, so that connections rarely call about the same person at the same time.
        for (let turn = first; performance.now() < until; turn += connections) {
          const sample = samples[turn % samples.length]!
          for (const { query, params } of sample.prepare ?? []) await client.query(query, params)
          const statements = asNewRequest(sample)
          for (const [index, { query, params }] of statements.entries()) {
            const startedAt = performance.now()
            const { rows } = await client.query(query, params)
            positions[index]?.times.push(performance.now() - startedAt)
            positions[index]?.verdicts.add(readVerdict(rows[0]))
          }
        }
      }),
    )
    return positions
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

const Verdict = z.object({ verdict: z.string() })

/** The verdict in a row, or in the object in the row's only column. */
function readVerdict(row: unknown): string {
  const columns = row && typeof row === 'object' ? Object.values(row) : []
  const parsed = [row, ...columns].map((value) => Verdict.safeParse(value)).find(({ success }) => success)
  return parsed?.data?.verdict ?? '-'
}

function summarizeRound(times: number[], connections: number): StatementRound {
  const sum = times.reduce((total, time) => total + time, 0)
  const sorted = times.toSorted((one, other) => one - other)
  const mean = sum / times.length
  // Each connection also runs the request's other statements, so the rate is derived from this statement's time.
  return { calls: times.length, perSecond: (connections * 1000) / mean, mean, p99: percentile(sorted, 0.99) }
}
