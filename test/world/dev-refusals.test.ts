import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { close, listen } from '../../dev/emulators/core/listen.ts'
import { readOptions } from '../../dev/world/options.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { failedDev } from '../support/dev-run.ts'
import { reservePort } from '../support/ports.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-dev-'))
let ports: string[]

const options = (...args: string[]) => ({ folder, args: [...ports, ...args] })

beforeAll(async () => {
  const parts = ['home', 'receiver', 'mail', 'shop', ...PROCESSOR_NAMES].map((part) => `--${part}-port`)
  const free = await Promise.all([...parts, '--port'].map(async (option) => [option, String(await reservePort())]))
  ports = free.flat()
})

afterAll(() => rmSync(folder, { recursive: true }))

test('has a distinct default port for each part', () => {
  const ports = Object.values(readOptions([], {})?.ports ?? {})
  expect(new Set(ports).size).toBe(5 + PROCESSOR_NAMES.length)
})

test('reports that a port is in use', async () => {
  const server = createServer()
  const { port } = new URL(await listen(server, await reservePort()))
  const failed = await failedDev(options('--receiver-port', port))
  await close(server)
  expect(failed).toEqual({
    code: 1,
    stdout: '',
    stderr: `port ${port} is in use: stop the process that listens there, or choose another with --receiver-port\n`,
  })
})

test('names every error of a paywall file by its path', async () => {
  const broken = join(folder, 'broken.json')
  const demo = readFileSync(new URL('../../demo/paywall.json', import.meta.url), 'utf8')
  writeFileSync(broken, demo.replace('"USD"', '"XYZ"').replace('"Acme Pro"', '""'))
  const { code, stderr } = await failedDev(options('--config', broken))
  expect(code).toBe(1)
  expect(stderr).toMatch(/broken\.json: paywalls\[0\]\.name: /)
  expect(stderr).toMatch(/broken\.json: paywalls\[0\]\.prices\[0\]\.currency: /)
  expect(stderr).not.toContain('    at ')
})

test('prints one line for invalid options', async () => {
  const missing = await failedDev(options('--config', join(folder, 'none.json')))
  expect(missing).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/none\.json: cannot be read: no such file\n$/),
  })
  const unknown = await failedDev(options('--prot', '1'))
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/did you mean --port\?\n.*--help.*\n$/) })
  const nobody = await failedDev(options('--processor', 'paypal'))
  expect(nobody).toMatchObject({
    code: 1,
    stderr: `--processor must be one of ${PROCESSOR_NAMES.join(', ')}, not paypal\n`,
  })
  expect(await failedDev(options('--config', 'any.json', '--processor', 'polar'))).toMatchObject({
    code: 1,
    stderr: '--processor works with the demo only: a paywall file given with --config names its own processor\n',
  })
})
