// Starts Workers in the runtime that only log, and fires a cron that logs more than a pipe holds. Prints `ended`
// when the cron has finished. It is a separate program because the bug that it looks for would block the test process for ever.
import { startWorkers } from '../../dev/world/workers/workers.ts'
import { readWorkerConfigs } from '../../dev/world/workers/wrangler-config.ts'

/** Ten times the capacity of a pipe on Linux. */
const LINES = 640
const CHATTY = `
const line = 'x'.repeat(1024)
export default {
  fetch() { return new Response() },
  scheduled() { for (let count = 0; count < ${LINES}; count++) console.log(line) },
}
`
const configs = readWorkerConfigs()
let lines = 0
const workers = await startWorkers({
  port: 0,
  values: Object.fromEntries(configs.flatMap(({ secrets }) => secrets).map((name) => [name, name])),
  databaseUrls: {},
  neonUrl: 'http://127.0.0.1:9',
  code: new Map(configs.map(({ env }) => [env, CHATTY])),
  receiveMail: () => '',
  onLog: (_level, message) => {
    if (message.startsWith('xxx')) lines++
  },
})
await workers.scheduled('purge-expired')
console.log(`ended: ${lines > 0}`)
await workers.stop()
