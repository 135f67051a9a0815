import { once } from 'node:events'
import type { Server } from 'node:http'

/**
 * How long an idle connection stays open, in milliseconds. Longer than any of our clients keep one: if the server closed it
 * first, a request that a client is just sending would fail.
 */
const KEEP_ALIVE_MS = 120_000

/** Starts the server on 127.0.0.1, on a free port if `port` is 0. Returns its origin. */
export async function listen(server: Server, port: number): Promise<string> {
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}

/** Stops listening and closes all connections. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
