// Imports a bundled Worker and prints how long that takes, in milliseconds of processor time. What only the Workers' runtime has
// is stood in for: none of it is used before the first request.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const STAND_IN = 'data:text/javascript,export class WorkerEntrypoint {}; export class RpcTarget {}; export default ""'

registerHooks({
  resolve: (specifier, context, next) =>
    /^cloudflare:|\.(mmdb|html|css|bin)$/.test(specifier)
      ? { url: STAND_IN, shortCircuit: true }
      : next(specifier, context),
})

const before = process.cpuUsage()
await import(pathToFileURL(process.argv[2] ?? '').href)
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)
