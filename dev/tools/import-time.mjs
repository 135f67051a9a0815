// Imports a bundled Worker and prints the import time in milliseconds of CPU time. Modules of the Workers' runtime are replaced by
// stubs, because none is used before the first request.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const STUB = 'data:text/javascript,export class WorkerEntrypoint {}; export class RpcTarget {}; export default ""'

registerHooks({
  resolve: (specifier, context, next) =>
    /^cloudflare:|\.(mmdb|html|css|bin)$/.test(specifier)
      ? { url: STUB, shortCircuit: true }
      : next(specifier, context),
})

const before = process.cpuUsage()
await import(pathToFileURL(process.argv[2] ?? '').href)
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)
