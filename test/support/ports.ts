import { inject } from 'vitest'
import { freePort } from '../../dev/world/ports.ts'
import { PORTS_OF_A_RUN } from './run-ports.ts'

/** Each test process has ports of its own. Otherwise one could take a port of another that is between two worlds and does not listen. */
const PROCESSES = 10
const count = PORTS_OF_A_RUN / PROCESSES - 1
const ownProcess = Number(process.env.VITEST_POOL_ID ?? 0) % PROCESSES

const reserved = new Set<number>()

/** Returns a port that no other process of the tests uses, and never the same port twice. */
export async function reservePort(): Promise<number> {
  const port = await freePort({ first: inject('firstPort') + 1 + ownProcess * count, count })
  if (reserved.has(port)) return reservePort()
  reserved.add(port)
  return port
}
