import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'

const STARTS = `
  const { startScratchPostgres } = await import('./dev/world/database/scratch-postgres.ts')
  await startScratchPostgres()
  process.stdout.write('started')
`
const inMemory = () => (existsSync('/dev/shm') ? readdirSync('/dev/shm') : [])

test('what a killed process left in memory is freed by the next that needs a Postgres', async () => {
  const killed = spawn(process.execPath, ['--input-type=module', '-e', STARTS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const postgres = await startScratchPostgres()
  await postgres.stop()
  expect(inMemory().filter((name) => name.includes(`-${killed.pid}-`))).toEqual([])
})
