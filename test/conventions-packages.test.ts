import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

const Entry = z.looseObject({
  link: z.boolean().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
})
const LockFile = z.looseObject({ packages: z.record(z.string(), Entry) })

describe('the lock file', () => {
  const { packages } = LockFile.parse(
    JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')),
  )
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)

  test('holds every package to its bytes, those of other platforms too', () => {
    const others = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(others.map(([path]) => path)).toEqual([])
    expect(installed.length).toBeGreaterThan(500)
  })

  test('names no address to load them from: each machine has its own registry', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})
