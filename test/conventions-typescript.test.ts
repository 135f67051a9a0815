import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'

const root = join(import.meta.dirname, '..')
const run = (program: string, args: string[]) => execFileSync(program, args, { cwd: root, encoding: 'utf8' })

const Solution = z.object({ references: z.array(z.object({ path: z.string() })) })
const Project = z.object({ files: z.array(z.string()) })

test('tsconfig.json references exactly one project for each file, so that editors use the settings of CI', () => {
  const { references } = Solution.parse(JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')))
  const files = references.flatMap(({ path }) => {
    const config = run('node_modules/.bin/tsc', ['--project', path, '--showConfig'])
    return Project.parse(JSON.parse(config)).files.map(normalize)
  })
  const tracked = run('git', ['ls-files', '*.ts', '*.tsx', ':!sdk/src']).trim().split('\n') // the SDK has a tsconfig.json of its own
  expect(files.toSorted()).toEqual(tracked.toSorted())
})
