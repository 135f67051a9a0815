// npm run bench -- memory: whether a Worker's memory grows.
// 1. Send requests of all kinds, one second of each in turn, up to the given number.
// 2. Ten times in between, force a garbage collection in each isolate and read its memory.
// 3. Print the first, largest and last value of each Worker, and the memory of the whole runtime.

import type { PrintLine } from '../../cli/command.ts'
import { HERE, openContenders } from '../contenders/contenders.ts'
import type { World } from '../contenders/world.ts'
import { closedLoop } from '../load/closed-loop.ts'
import { createCalls, expectedStatus } from '../load/endpoint.ts'
import { ENDPOINTS } from '../load/endpoints.ts'
import { setScene } from '../load/scene.ts'
import { openIsolates } from '../memory/isolate.ts'
import { filterByName, type Options } from '../options.ts'
import { formatNumber, table } from '../report/table.ts'

const CONNECTIONS = 8
const SAMPLES = 10
const MEGABYTE = 2 ** 20

/** A sample of memory use, in bytes. */
interface MemorySample {
  requests: number
  isolates: Record<string, number>
  /** The resident memory of the runtime; null on systems without /proc. */
  resident: number | null
}

export async function benchMemory(options: Options, printLine: PrintLine) {
  await using contenders = await openContenders({ against: options.against, inspect: true })
  const worlds: Record<string, MemorySample[]> = {}
  for (const world of contenders.worlds) {
    const samples = await sampleMemory(world, options)
    worlds[world.name] = samples
    printLine(`${world.name === HERE ? '' : '\n'}${memoryTable(world.name, samples)}`)
  }
  return { commits: contenders.commits, result: { worlds } }
}

async function sampleMemory(world: World, { requests, only }: Options): Promise<MemorySample[]> {
  const scene = await setScene(world)
  const endpoints = filterByName(ENDPOINTS, only)
  const samples: MemorySample[] = []
  let sent = 0
  for (let turn = 0; ; turn++) {
    if (sent >= (samples.length * requests) / SAMPLES && turn >= endpoints.length) {
      samples.push(await sampleNow(world, sent))
      process.stderr.write(`${world.name}: ${sent} requests\n`)
    }
    if (sent >= requests && samples.length > 1) return samples
    const endpoint = endpoints[turn % endpoints.length]!
    const load = { url: world.url, connections: CONNECTIONS, until: { seconds: 1 }, expected: expectedStatus(endpoint) }
    sent += (await closedLoop({ ...load, calls: await createCalls(endpoint, scene) })).requests
  }
}

async function sampleNow(world: World, requests: number): Promise<MemorySample> {
  const isolates = await openIsolates(await world.commands.inspector())
  const bytes: Record<string, number> = {}
  for (const isolate of isolates) {
    using opened = isolate
    bytes[opened.worker] = await opened.usedAfterGc()
  }
  return { requests, isolates: bytes, resident: await world.commands.residentMemory() }
}

function memoryTable(name: string, samples: MemorySample[]): string {
  const workers = Object.keys(samples[0]?.isolates ?? {})
  const line = (title: string, values: number[]) => {
    const megabytes = values.map((value) => value / MEGABYTE)
    return [
      title,
      formatNumber(megabytes[0] ?? Number.NaN),
      formatNumber(Math.max(...megabytes)),
      formatNumber(megabytes.at(-1) ?? Number.NaN),
    ]
  }
  const rows = workers.map((worker) =>
    line(
      worker,
      samples.map(({ isolates }) => isolates[worker] ?? Number.NaN),
    ),
  )
  const resident = samples.flatMap((sample) => sample.resident ?? [])
  if (resident.length > 0) rows.push(line('(the runtime, resident)', resident))
  const first = samples[0]?.requests ?? 0
  const last = samples.at(-1)?.requests ?? 0
  return table([`${name}: MB used after garbage collection`, `after ${first}`, 'max', `after ${last}`], rows)
}
