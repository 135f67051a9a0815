import { createServer, type Server } from 'node:net'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The first port of the block that is reserved for this test run. */
    firstPort: number
  }
}

const FIRST = 20_000
const BLOCKS = 6
/** All below 32,768, where the ports of outgoing connections begin: see dev/world/ports.ts. */
export const PORTS_OF_A_RUN = 2_000

/** Reserves a block of ports for a test run, so that concurrent runs on one machine do not use the same ports. */
export default async function setup(project: TestProject): Promise<() => void> {
  for (let block = 0; block < BLOCKS; block++) {
    const firstPort = FIRST + block * PORTS_OF_A_RUN
    const lock = await listen(firstPort)
    if (!lock) continue
    project.provide('firstPort', firstPort)
    return () => void lock.close()
  }
  throw new Error(`${BLOCKS} runs of the tests are under way on this machine, and there are no ports for more`)
}

/** Reserves a block by listening on its first port. Null if another process listens there. */
function listen(port: number): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
