import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes: begun last, they would run on alone. */
const LONGEST = ['test/sim/bugs', 'test/pages/accessibility', 'test/support-ticket/abuse-large-forms']

/** Files that wait for processes and timeouts more than they compute: begun early, beside those that compute. */
const WAITING = [
  'test/world/',
  'test/deliver-events/',
  'test/crash/',
  '/crash.test.ts',
  'test/bootstrap/cache',
  'test/start-checkout/processor-down',
  'test/gateway/rate-limits',
  'test/conformance/failures',
  'test/processors/polar/failures',
  '-command.test.ts',
]

/** `npm test` leaves these to `test:rest` and `test:all`, since developers wait for it. `vitest run FILE` runs any. */
const NOT_IN_QUICK = [
  // what kills processes, floods or waits for rate limits
  'contract/{bindings-down,refusal-pages}',
  'gateway/rate-limits',
  'sign-in/{limits,newcomers}',
  'crash/**',
  '*/crash',
  '*/abuse*',
  // operators' commands on people and keys, each a process of its own
  'cli/{command-line,rekey-command,tickets-command,users-*}',
  // everything that can happen, at all five processors
  'conformance/!(lifecycle)',
  'scenarios/**',
  'sim/bugs',
  // whole releases of Workers one after the other, and rows of every migration
  'migrations/**',
  'security/{roles-key,sealing-keys-rotation}',
  'sign-in/keys',
  // what is filled and measured
  'bench/prints-json',
  'functions/cron-costs',
  // in a browser
  'docs/{pages,reference}',
  'pages/**',
  'sdk/browser-*',
  // the local world's own programs
  'emulators/**',
  'processors/*/emulator/**',
  'world/**',
].map(testFile)

const isOneOf = (paths: string[], { moduleId }: TestSpecification) => paths.some((path) => moduleId.includes(path))

const rank = (file: TestSpecification) => (isOneOf(LONGEST, file) ? 0 : isOneOf(WAITING, file) ? 1 : 2)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

function testFile(name: string): string {
  return `test/${name}.test.ts`
}

/** The mode is `quick` in `npm test`, `rest` in `npm run test:rest`, `all` in `npm run test:all`, and vitest's own otherwise. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'rest' ? NOT_IN_QUICK : ['test/**/*.test.ts'],
    exclude: mode === 'quick' ? NOT_IN_QUICK : [],
    env: { FULL_SIZE: ['all', 'rest'].includes(mode) ? 'yes' : '' }, // see test/support/full-size.ts
    globalSetup: ['test/support/run-ports.ts', 'test/support/postgres.ts'],
    // For tests that hang. On a machine four times slower than a developer's no other test may reach them.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2, // each has a runtime and a Postgres to feed: on two cores three workers take longer than two
    sequence: { sequencer: LongestFirst },
    // A file has a world of its own, on a database of its own. The code, and the Workers, are loaded once a process.
    isolate: false,
  },
}))
