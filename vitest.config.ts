import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait for processes and timeouts more than they compute: begun first, they leave the cores to the others. */
const WAITING = [
  'test/world/',
  'test/deliveries/',
  'test/crash/',
  'test/contract/rate-limits',
  'test/conformance/hardships',
  '-command.test.ts',
]

/**
 * What starts whole releases of Workers one after the other, fills tables, measures, or goes through many pages in a browser: CI
 * runs it after `npm test`, in `test:storm`.
 */
export const STORMS = [
  'test/security/sealing-keys-rotation.test.ts',
  'test/security/roles-key.test.ts',
  'test/security/sign-in-keys.test.ts',
  'test/functions/cron-costs.test.ts',
  'test/pages/accessibility.test.ts',
  'test/pages/keyboard.test.ts',
  'test/pages/selling.test.ts',
  'test/bench/prints-json.test.ts',
]

const waits = ({ moduleId }: TestSpecification) => WAITING.some((path) => moduleId.includes(path))

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => Number(waits(other)) - Number(waits(one)))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env.STORM ? [] : STORMS,
    globalSetup: ['test/support/run-ports.ts', 'test/support/postgres.ts', 'test/support/build-sdk.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 3, // on two cores: see `WAITING`
    sequence: { sequencer: WaitingFirst },
    // A file has a world of its own, on a database of its own. The code, and the Workers, are loaded once a process.
    isolate: false,
  },
})
