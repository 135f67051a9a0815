import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')
const copy = mkdtempSync(join(tmpdir(), 'paywall-add-processor-'))

const run = (command: string, ...args: string[]) =>
  promisify(execFile)(command, args, {
    cwd: copy,
    env: { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH}` },
  })

beforeAll(async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: ROOT })
  for (const file of stdout.split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(copy, file))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  symlinkSync(join(ROOT, 'sdk/node_modules'), join(copy, 'sdk/node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

test('npm run add-processor creates a processor that compiles, in every list of processors', async () => {
  await run('node', 'dev/tools/add-processor.ts', 'paddle')
  expect(readdirSync(join(copy, 'lib/processors/paddle'))).toContain('adapter.ts')
  expect(readFileSync(join(copy, 'lib/processors/processor-name.ts'), 'utf8')).toContain("'mollie', 'paddle']")
  const { stdout: errors } = await run('tsc', '-b').catch((error: { stdout: string }) => error)
  expect(errors).toBe('')
})

test.each(['stripe', 'Paddle', '../paddle', ''])('refuses the name "%s" and changes nothing', async (name) => {
  const names = readFileSync(join(copy, 'lib/processors/processor-name.ts'), 'utf8')
  await expect(run('node', 'dev/tools/add-processor.ts', name)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('usage: npm run add-processor NAME'),
  })
  expect(readFileSync(join(copy, 'lib/processors/processor-name.ts'), 'utf8')).toBe(names)
})
