import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('a cron that logs more than a pipe buffer ends, because the log of the runtime is always read', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['test/support/noisy-crons.ts'], {
    timeout: 100_000,
    killSignal: 'SIGKILL',
  })
  expect(stdout).toBe('ended: true\n')
})
