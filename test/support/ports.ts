import { inject } from 'vitest'
import { freePort } from '../../dev/world/ports.ts'
import { PORTS_OF_A_RUN } from './run-ports.ts'

/** A process of the tests has ports of its own: between two worlds nobody listens on them, so none would see that they are taken. */
const PROCESSES = 10
const count = PORTS_OF_A_RUN / PROCESSES - 1
const ownProcess = Number(process.env.VITEST_POOL_ID ?? 0) % PROCESSES

const given = new Set<number>()

/** A port that no other process of the tests uses, and this one does not use twice. */
export async function quietPort(): Promise<number> {
  const port = await freePort({ first: inject('firstPort') + 1 + ownProcess * count, count })
  if (given.has(port)) return quietPort()
  given.add(port)
  return port
}
