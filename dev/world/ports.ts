import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** `count` ports starting at `first`. */
export interface PortRange {
  first: number
  count: number
}

/**
 * Below the ephemeral ports of every system (Linux begins at 32,768): an outgoing connection could otherwise occupy the port
 * while the server restarts.
 */
const OWN_PORTS: PortRange = { first: 10_000, count: 10_000 }

/** A random free port of the range on 127.0.0.1. */
export async function freePort({ first, count }: PortRange = OWN_PORTS): Promise<number> {
  const port = first + randomInt(count)
  return (await isTaken(port)) ? freePort({ first, count }) : port
}

/** Whether something already listens on the port of 127.0.0.1. */
export async function isTaken(port: number): Promise<boolean> {
  try {
    await bind(port)
    return false
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return true
    throw error
  }
}

function bind(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}
