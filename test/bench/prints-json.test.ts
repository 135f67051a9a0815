import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

test('with --json a benchmark prints the document that it writes to a file, and the path of the file', async () => {
  const options = ['--only', 'bootstrap from cache', '--rounds', '1', '--seconds', '0.2', '--json']
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', ...options], { cwd: ROOT })
  const { written_to: path, ...document } = JSON.parse(stdout)
  onTestFinished(() => rmSync(join(ROOT, path)))
  expect(path).toBe(`.local/bench/${document.date.replaceAll(':', '-')}-endpoints.json`)
  expect(document).toEqual(JSON.parse(readFileSync(join(ROOT, path), 'utf8')))
  expect(document).toMatchObject({ what: 'endpoints', endpoints: expect.any(Array) })
})
