import { randomBytes, randomUUID } from 'node:crypto'
import type { SentStatement } from '../contenders/commands.ts'
import { closedLoop } from '../load/closed-loop.ts'
import { createCalls, type Endpoint, expectedStatus } from '../load/endpoint.ts'
import type { Scene } from '../load/scene.ts'
import type { Stage } from '../runs/measure-endpoints.ts'

/** The statements of one request in order, and which of their values are unique to the request. */
export interface Sample {
  statements: SentStatement[]
  /** Sent before them, untimed. */
  prepare?: SentStatement[]
  /** UUIDs, SHA-256 hashes and times that differ from another request of the same kind about the same person. */
  fresh: Set<string>
}

/** Several samples of an endpoint's statements. */
export interface CapturedEndpoint {
  endpoint: string
  samples: Sample[]
}

const SAMPLES = 16

/** Values that are unique to a request: ids, keys, hashes of bodies with these, and times in the database's format. */
const UNIQUE =
  /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\b[0-9a-f]{64}\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00/g

/**
 * Sends each endpoint's request and captures the statements that reach the database, so it works for any commit's SQL.
 * Skips endpoints without statements, and those whose statements work only once.
 */
export async function captureStatements(stage: Stage, endpoints: Endpoint[]): Promise<CapturedEndpoint[]> {
  const captured: CapturedEndpoint[] = []
  for (const endpoint of endpoints.filter(({ worksOnce }) => !worksOnce)) {
    const samples: Sample[] = []
    for (const person of stage.scene.people.slice(0, SAMPLES)) {
      const scene = { ...stage.scene, people: [person], buyers: [person] }
      const first = await readStatements(stage, endpoint, scene)
      const second = await readStatements(stage, endpoint, scene)
      const repeated = new Set(uniqueIn(second))
      const fresh = new Set(uniqueIn(first).filter((value) => !repeated.has(value)))
      if (first.length > 0) samples.push({ statements: first, fresh })
    }
    if (samples.length > 0) captured.push({ endpoint: endpoint.name, samples: withoutCronStatements(samples) })
  }
  return captured
}

/** Removes samples that contain statements of a concurrent run of deliver-events. */
function withoutCronStatements(samples: Sample[]): Sample[] {
  const least = Math.min(...samples.map(({ statements }) => statements.length))
  return samples.filter(({ statements }) => statements.length === least)
}

async function readStatements({ world }: Stage, endpoint: Endpoint, scene: Scene): Promise<SentStatement[]> {
  const calls = await createCalls(endpoint, scene)
  const once = { url: world.url, connections: 1, until: { requests: 1 }, calls, expected: expectedStatus(endpoint) }
  await world.commands.startRecording()
  await closedLoop(once)
  return world.commands.stopRecording()
}

function uniqueIn(statements: SentStatement[]): string[] {
  return JSON.stringify(statements.map(({ params }) => params)).match(UNIQUE) ?? []
}

/** The statements of a new request: replaces fresh values by new ones, consistently. */
export function asNewRequest({ statements, fresh }: Sample): SentStatement[] {
  const renewed = new Map<string, string>()
  const renew = (value: string) => {
    if (!fresh.has(value)) return value
    const made = renewed.get(value) ?? randomOfSameKind(value)
    renewed.set(value, made)
    return made
  }
  return statements.map(({ query, params }) => ({
    query,
    params: params.map((value) => (typeof value === 'string' ? value.replaceAll(UNIQUE, renew) : value)),
  }))
}

function randomOfSameKind(value: string): string {
  if (value.includes(':')) return new Date().toISOString()
  return value.length === 64 ? randomBytes(32).toString('hex') : randomUUID()
}
