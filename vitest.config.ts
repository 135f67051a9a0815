import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait for processes and timeouts more than they compute: begun first, they leave the cores to the others. */
const WAITING = [
  'test/world/',
  'test/deliveries/',
  'test/crash/',
  'test/contract/bootstrap-cache',
  'test/contract/processor-down',
  'test/contract/rate-limits',
  'test/conformance/hardships',
  'test/processors/polar/failures',
  '-command.test.ts',
]

/** `npm test` makes less of these: `npm run test:storm` runs them at full size. */
const AT_FULL_SIZE = [
  'concurrency/ledger',
  'contract/geo-address',
  'fuzz/**',
  'processors/currencies',
  'processors/mollie-lives',
  'webhooks/order',
].map(testFile)

/** `npm test` leaves these to `npm run test:storm`, which CI runs after it, since developers wait for the former. `vitest run FILE` runs any. */
const STORM_ALONE = [
  // what kills processes, floods or waits for budgets
  'contract/{cut-off,rate-limits,refusal-pages,sign-in-limits}',
  'crash/**',
  'security/abuse-*',
  'security/sign-in-{long-code,newcomers,same-network,strangers,waves}',
  // operators' commands on people and keys, each a process of its own
  'cli/{command-line,rekey-command,tickets-command,users-*}',
  // everything that can happen, at all five processors
  'conformance/!(lives)',
  'scenarios/**',
  'sim/bugs',
  // whole releases of Workers one after the other, and rows of every migration
  'migrations/**',
  'security/{roles-key,sealing-keys-rotation,sign-in-keys}',
  // what is filled and measured
  'bench/prints-json',
  'functions/cron-costs',
  // in a browser
  'docs/{pages,reference}',
  'pages/**',
  'sdk/browser-*',
  // the local world's own programs
  'emulators/**',
  'world/**',
].map(testFile)

const waits = ({ moduleId }: TestSpecification) => WAITING.some((path) => moduleId.includes(path))

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => Number(waits(other)) - Number(waits(one)))
  }
}

function testFile(name: string): string {
  return `test/${name}.test.ts`
}

export default defineConfig({
  test: {
    include: process.env.STORM ? [...AT_FULL_SIZE, ...STORM_ALONE] : ['test/**/*.test.ts'],
    exclude: process.env.CALM ? STORM_ALONE : [],
    globalSetup: ['test/support/run-ports.ts', 'test/support/postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 3, // on two cores: see `WAITING`
    sequence: { sequencer: WaitingFirst },
    // A file has a world of its own, on a database of its own. The code, and the Workers, are loaded once a process.
    isolate: false,
  },
})
