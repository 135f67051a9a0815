import { freePort } from '../../dev/world/ports.ts'

/** A process of the tests has ports of its own: between two worlds nobody listens on them, so none would see that they are taken. */
const PORTS_OF_A_PROCESS = 1_000
const PROCESS_PORTS = {
  first: 20_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * PORTS_OF_A_PROCESS,
  count: PORTS_OF_A_PROCESS,
}
const given = new Set<number>()

/** A port that no other process of the tests uses, and this one does not use twice. */
export async function quietPort(): Promise<number> {
  const port = await freePort(PROCESS_PORTS)
  if (given.has(port)) return quietPort()
  given.add(port)
  return port
}
