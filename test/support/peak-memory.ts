import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import type { TestWorld } from './world.ts'

const Targets = z.array(z.looseObject({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const Usage = z.object({
  result: z.object({ usedSize: z.number(), embedderHeapUsedSize: z.number(), backingStorageSize: z.number() }),
})

/**
 * The most memory that a Worker's isolate held while `work` ran, in bytes: its heap and its buffers, garbage included. Cloudflare
 * allows 128 MB. The world must have been started with `inspect`.
 */
export async function peakMemory(world: TestWorld, worker: string, work: () => Promise<unknown>): Promise<number> {
  const socket = await connect(world, worker)
  let peak = 0
  let over = false
  const watched = work().finally(() => {
    over = true
  })
  try {
    while (!over) {
      peak = Math.max(peak, await heapNow(socket))
      await delay(2)
    }
    await watched
    return peak
  } finally {
    socket.close()
  }
}

async function connect(world: TestWorld, worker: string): Promise<WebSocket> {
  const inspector = await world.workers.inspector()
  const targets = Targets.parse(await (await fetch(`http://${inspector.host}/json`)).json())
  const target = targets.find(({ id }) => id.endsWith(`:${worker}`))
  if (!target) throw new Error(`no Worker ${worker} among ${targets.map(({ id }) => id).join(', ')}`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  return socket
}

async function heapNow(socket: WebSocket): Promise<number> {
  const answer = new Promise<MessageEvent>((resolve) => socket.addEventListener('message', resolve, { once: true }))
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.getHeapUsage' }))
  const { result } = Usage.parse(JSON.parse(String((await answer).data)))
  return result.usedSize + result.embedderHeapUsedSize + result.backingStorageSize
}
