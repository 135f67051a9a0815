import { once } from 'node:events'
import type { Server } from 'node:http'

/** Starts the server on 127.0.0.1, on a free port if `port` is 0. Returns its origin. */
export async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}

/** Stops listening and cuts the connections that are still open. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
