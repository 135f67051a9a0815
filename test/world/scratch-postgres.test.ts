import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'

const START_SCRIPT = `
  const { startScratchPostgres } = await import('./dev/world/database/scratch-postgres.ts')
  await startScratchPostgres()
  process.stdout.write('started')
`
const listSharedMemory = () => (existsSync('/dev/shm') ? readdirSync('/dev/shm') : [])

test('the next start of a scratch Postgres removes the files that a killed process left in /dev/shm', async () => {
  const killed = spawn(process.execPath, ['--input-type=module', '-e', START_SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const postgres = await startScratchPostgres()
  await postgres.stop()
  expect(listSharedMemory().filter((name) => name.includes(`-${killed.pid}-`))).toEqual([])
})
