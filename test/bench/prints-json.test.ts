import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const DATE = '1970-01-01T00:00:00.000Z'
const WRITTEN = 'bench/results/1970-01-01-endpoints.json'

test('with --json a benchmark prints what it writes and where, and nothing else', { timeout: 120_000 }, async () => {
  const options = ['--only', 'bootstrap from cache', '--rounds', '1', '--seconds', '0.2', '--date', DATE, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', ...options], { cwd: ROOT })
  const { written_to: path, ...document } = JSON.parse(stdout)
  expect(path).toBe(WRITTEN)
  expect(document).toEqual(JSON.parse(readFileSync(join(ROOT, WRITTEN), 'utf8')))
  expect(document).toMatchObject({ what: 'endpoints', date: DATE, endpoints: expect.any(Array) })
  rmSync(join(ROOT, WRITTEN))
})
