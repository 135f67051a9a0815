import * as z from 'zod'

/** A Worker's isolate, accessed over the DevTools protocol. */
export interface Isolate extends Disposable {
  worker: string
  /** Heap and buffers in use after a forced garbage collection, in bytes. */
  usedAfterGc(): Promise<number>
}

const Targets = z.array(z.looseObject({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const InspectorMessage = z.looseObject({
  id: z.int().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})
const Usage = z.object({
  result: z.object({ usedSize: z.number(), embedderHeapUsedSize: z.number(), backingStorageSize: z.number() }),
})

/** The timeout of a response, so that a changed protocol cannot block the run forever. */
const RESPONSE_TIMEOUT_SECONDS = 30

/** Our Workers behind an inspector; Miniflare's own have no `paywall-` prefix. */
export async function openIsolates(inspector: string): Promise<Isolate[]> {
  const { host } = new URL(inspector)
  const targets = Targets.parse(await (await fetch(`http://${host}/json`)).json())
  const ours = targets.flatMap(({ id, webSocketDebuggerUrl }) => {
    const worker = /:(paywall-[\w-]+)$/.exec(id)?.[1]
    return worker === undefined ? [] : [{ worker, webSocketDebuggerUrl }]
  })
  return Promise.all(ours.map(({ worker, webSocketDebuggerUrl }) => openIsolate(worker, webSocketDebuggerUrl)))
}

async function openIsolate(worker: string, url: string): Promise<Isolate> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let calls = 0

  function send(method: string): Promise<unknown> {
    const id = ++calls
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${worker} does not respond to ${method}`)),
        RESPONSE_TIMEOUT_SECONDS * 1000,
      )
      socket.addEventListener('message', function receive({ data }) {
        const json = JSON.parse(String(data))
        const message = InspectorMessage.parse(json)
        if (message.id !== id) return
        clearTimeout(timer)
        socket.removeEventListener('message', receive)
        if (message.error) reject(new Error(`${method}: ${message.error.message}`))
        else resolve(json)
      })
      socket.send(JSON.stringify({ id, method }))
    })
  }

  return {
    worker,
    async usedAfterGc() {
      // A snapshot collects garbage first. `HeapProfiler.collectGarbage` waits for the Worker's next request, which a cron's Worker
      // does not get.
      await send('HeapProfiler.takeHeapSnapshot')
      const { result } = Usage.parse(await send('Runtime.getHeapUsage'))
      return result.usedSize + result.embedderHeapUsedSize + result.backingStorageSize
    },
    [Symbol.dispose]: () => socket.close(),
  }
}
