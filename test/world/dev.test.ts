import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { removeCluster } from '../../dev/world/database/cluster.ts'
import { ensureDatabase } from '../../dev/world/database/database.ts'
import { demoThrough, demoWithPorts } from '../../dev/world/demo.ts'
import type { Options } from '../../dev/world/options.ts'
import { isTaken } from '../../dev/world/ports.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { type DevRun, getBuyer, isRunning, pasteCurls, pay, startDev } from '../support/dev-run.ts'
import { reservePort } from '../support/ports.ts'
import { until } from '../support/until.ts'

const TIMEOUT_MS = 120_000
const folder = mkdtempSync(join(tmpdir(), 'paywall-dev-')) // not readable by other users, like a home directory
const config = join(folder, 'paywall.json')
let ports: Options['ports']
let run: DevRun
let buyer: string
/** The key that the world created at its first start. */
let key: string

const origin = (port: number) => `http://127.0.0.1:${port}`
const options = (...more: string[]) => withoutFile('--config', config, ...more)
const withoutFile = (...more: string[]) => ({
  folder: join(folder, 'local'),
  args: [
    ...more,
    ...Object.entries(ports).flatMap(([part, port]) => [
      part === 'service' ? '--port' : `--${part}-port`,
      String(port),
    ]),
  ],
})

beforeAll(async () => {
  const parts = ['home', 'service', 'receiver', 'mail', 'shop', ...PROCESSOR_NAMES]
  const free = await Promise.all(parts.map(async (part) => [part, await reservePort()]))
  ports = Object.fromEntries(free)
  writeConfig('stripe')
})

/** The demo as a developer's own file, which leaves the key to the world. */
function writeConfig(acquiring: ProcessorName): void {
  const { receiver, shop } = ports
  const { file } = demoThrough(acquiring)
  const written = { ...file, keys: [{ name: 'backend' }] }
  writeFileSync(config, demoWithPorts({ receiver, shop }, JSON.stringify(written, null, 2)))
}

afterAll(async () => {
  // A test that failed may have left its world running.
  if (run.process.exitCode === null && run.process.signalCode === null) await run.end('SIGTERM')
  removeCluster(join(folder, 'local/postgres'))
  rmSync(folder, { recursive: true, force: true })
})

test('starts, and the curl commands that it prints work', { timeout: TIMEOUT_MS }, async () => {
  run = await startDev(options())
  expect(run.output()).toMatch(new RegExp(`^ready ${origin(ports.service)}$`, 'm'))

  const [bootstrap, checkout, user] = await pasteCurls(run)
  expect(bootstrap).toMatchObject({ settings: { id: '1001' }, version: expect.stringMatching(/^sha256:/) })
  expect(checkout).toMatchObject({ acquiring: 'stripe', checkoutUrl: expect.stringContaining(origin(ports.stripe)) })
  expect(user).toMatchObject({ purchases: [], paid: false })

  await expectThanks(await pay(checkout, origin(ports.service)))
  buyer = getBuyer(run)
  key = getKey(run)
  expect((await pasteCurls(run))[2]).toMatchObject({ paid: true })
})

test('serves a page at every address of home and of the service that README names', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
  const byDefault: Record<string, number> = { 8786: ports.home, 8787: ports.service }
  const addresses = [...text.matchAll(/http:\/\/(127\.0\.0\.1|localhost):(878[67])([\w/]*)/g)]
  expect(addresses).toHaveLength(3)
  for (const [address, host, port = '', path] of addresses) {
    const { status, headers } = await fetch(`http://${host}:${byDefault[port]}${path}`)
    expect([status, headers.get('content-type')], address).toEqual([200, expect.stringContaining('text/html')])
  }
})

test('shows the signed webhook that the purchase sent', { timeout: TIMEOUT_MS }, async () => {
  expect(await untilReceived('subscription.created')).toMatchObject({ verified: true })
  const page = await fetch(origin(ports.receiver))
  expect(await page.text()).toContain('subscription.created')
})

test('explains why a call was refused', { timeout: TIMEOUT_MS }, async () => {
  const refused = await fetch(`${origin(ports.service)}/api/v1/paywall/1001/user?email=ann@example.com`, {
    headers: { 'x-api-key': 'pk_test_nobodys' },
  })
  const about = (response: Response) => `request_id ${response.headers.get('x-request-id')}`
  const line = `GET /api/v1/paywall/:id/user was refused: 401 unknown_key (${about(refused)}, paywall_id 1001)`
  await until('the line', async () => run.output().includes(line))
  const lost = await fetch(`${origin(ports.service)}/nothing/here`)
  const gatewayLine = `GET an unknown path was refused: 404 not_found (${about(lost)})`
  await until('the line of the gateway', async () => run.output().includes(gatewayLine))
})

test('applies a paywall file when it is saved, and reports its errors', { timeout: TIMEOUT_MS }, async () => {
  const text = readFileSync(config, 'utf8')
  const databaseUrl = /^ {2}database +(.*)$/m.exec(run.output())?.[1] ?? ''
  const nameNow = () =>
    withClient(databaseUrl, async (client) => (await client.query('select name from paywalls')).rows[0].name)
  writeFileSync(config, text.replace('"Acme Pro"', '"Acme Plus"'))
  const change = 'was saved and applied:\n  paywall 1001: name Acme Pro → Acme Plus\n'
  await until('the change', async () => run.output().includes(change))
  expect(await nameNow()).toBe('Acme Plus')

  writeFileSync(config, text.replace('"Acme Pro"', '""'))
  await until('the error', async () => run.output().includes('  paywalls[0].name: '))
  expect(run.output()).toContain('paywall.json was saved with errors. The version applied before stays in effect:')
  expect(await nameNow()).toBe('Acme Plus')

  writeFileSync(config, text)
  await until('the old name', async () => (await nameNow()) === 'Acme Pro')
})

test('works again after Postgres was killed, without losing data', { timeout: TIMEOUT_MS }, async () => {
  process.kill(postmaster(), 'SIGKILL')
  await until('the purchase', async () => (await pasteCurls(run))[2]?.paid === true)
})

test('stops every process on SIGTERM', { timeout: TIMEOUT_MS }, async () => {
  const pid = postmaster()
  await run.end('SIGTERM')
  await expectStopped(pid)
})

test('keeps its data across a restart, and cancels what was bought at another processor', {
  timeout: TIMEOUT_MS,
}, async () => {
  writeConfig('polar')
  run = await startDev(options())
  const [, refused, user] = await pasteCurls(run, buyer)
  expect(refused).toMatchObject({ error: 'active_purchase' })
  expect(user).toMatchObject({ paid: true, purchases: [{ acquiring: 'stripe' }] })
  const [bootstrap, checkout, other] = await pasteCurls(run)
  expect(bootstrap).toMatchObject({ settings: { id: '1001' } })
  expect(checkout).toMatchObject({ checkoutUrl: expect.stringContaining(origin(ports.polar)) })
  expect(other).toMatchObject({ purchases: [], paid: false })
  await untilReceived('subscription.created')

  const [purchase] = (user as { purchases: { id: string }[] }).purchases
  expect(getKey(run)).toBe(key)
  const cancelled = await fetch(`${origin(ports.service)}/api/paywall/cancel-subscription`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      paywallId: '1001',
      email: buyer,
      subscriptionId: purchase?.id,
      cancellationReason: 'moved',
    }),
  })
  expect(await cancelled.json()).toMatchObject({ success: true })
  await untilReceived('subscription.cancel_scheduled')
})

test('leaves no process behind when it is killed with SIGKILL', { timeout: TIMEOUT_MS }, async () => {
  const pid = postmaster()
  process.kill(-run.process.pid!, 'SIGKILL')
  await expectStopped(pid)
})

test('starts with a new database with --reset, and sells through another processor', {
  timeout: TIMEOUT_MS,
}, async () => {
  run = await startDev(withoutFile('--processor', 'freemius', '--reset'))
  expect(run.output()).toContain('The demo sells through Freemius.')
  expect(await (await fetch(origin(ports.shop))).text()).toContain('<h1>The shop</h1>')
  expect(run.output()).toContain('a local price of "Monthly" is omitted: Freemius does not support INR')

  const [, checkout, user] = await pasteCurls(run)
  expect(user).toMatchObject({ purchases: [] })
  expect(checkout).toMatchObject({
    acquiring: 'freemius',
    checkoutUrl: expect.stringContaining(origin(ports.freemius)),
  })
  await expectThanks(await pay(checkout, origin(ports.service)))
  expect((await pasteCurls(run))[2]).toMatchObject({ paid: true, purchases: [{ status: 'trialing' }] })
})

test('stops on Ctrl-C', { timeout: TIMEOUT_MS }, async () => {
  const pid = postmaster()
  // The terminal signals the whole group, and npm passes it on as well.
  process.kill(-run.process.pid!, 'SIGINT')
  process.kill(-run.process.pid!, 'SIGINT')
  await expectStopped(pid)
})

test('serves every file, from another database with --database-url, and prints JSON with --json', {
  timeout: TIMEOUT_MS,
}, async () => {
  const second = join(folder, 'second.json')
  const text = readFileSync(config, 'utf8').replace('"id": "1001"', '"id": "2002"').replace('pay.acme.', 'pay.second.')
  const cheaper = text.replace('"amount": 9.99', '"amount": 4.49')
  writeFileSync(second, cheaper.replace('owner@example.com', 'second@example.com'))
  const databaseUrl = await ensureDatabase(inject('templateUrl'), 'somebodys_own')
  // That Postgres has the roles of the other tests already: with another key their passwords would change.
  const other = join(folder, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'secrets.json'), JSON.stringify({ DATABASE_ROLES_KEY: inject('databaseRolesKey') }))

  run = await startDev({ ...options('--config', second, '--database-url', databaseUrl, '--json'), folder: other })
  for (const id of ['1001', '2002']) {
    const bootstrap = await fetch(`${origin(ports.service)}/api/v1/paywall/${id}/bootstrap`)
    expect(await bootstrap.json()).toMatchObject({ settings: { id } })
  }
  await withClient(databaseUrl, async (client) => {
    expect((await client.query('select id from paywalls order by id')).rows).toEqual([{ id: '1001' }, { id: '2002' }])
  })
  const shop = await fetch(origin(ports.shop), { headers: { cookie: 'email=ann@example.com' } })
  expect(await shop.text(), 'the shop sells the first file').toContain('Monthly, $9.99')
  await fetch(`${origin(ports.service)}/api/v1/paywall/2002/user?email=ann@example.com`)
  writeFileSync(second, '{')
  await until('the error', async () => jsonLines(run).some(({ type }) => type === 'saved'))
  await run.end('SIGTERM')
  expect(jsonLines(run)).toEqual([
    expect.objectContaining({
      type: 'ready',
      home: origin(ports.home),
      service: origin(ports.service),
      shop: origin(ports.shop),
      demo: null,
      emulators: Object.fromEntries(PROCESSOR_NAMES.map((acquiring) => [acquiring, origin(ports[acquiring])])),
      keys: ['owner@example.com', 'second@example.com'].map((owner) => ({
        name: 'backend',
        owner,
        secret: expect.stringMatching(/^pk_test_/),
      })),
      try: ['1001', '2002'].map((paywall) => expect.objectContaining({ paywall, curls: expect.any(Array) })),
    }),
    expect.objectContaining({ type: 'refused', route: '/api/v1/paywall/:id/user', paywall_id: '1001', status: 404 }),
    expect.objectContaining({ type: 'refused', route: '/api/v1/paywall/:id/user', paywall_id: '2002', status: 401 }),
    { type: 'saved', path: expect.stringMatching(/second\.json$/), errors: [expect.any(String)] },
  ])
  for (const port of Object.values(ports)) expect(await isTaken(port)).toBe(false)
  expect(existsSync(join(folder, 'other/postgres'))).toBe(false)
})

const getKey = (one: DevRun) => /X-Api-Key: (\w+)/.exec(one.output())?.[1] ?? ''

/** The JSON lines that a run with --json has printed. */
const jsonLines = (one: DevRun): { type: string }[] =>
  (one.output().match(/^{.*}$/gm) ?? []).map((line) => JSON.parse(line))

/** An event of that type, once it has reached the webhook receiver. */
function untilReceived(type: string): Promise<{ verified: boolean }> {
  return until(type, async () => {
    const response = await fetch(`${origin(ports.receiver)}/events.json`)
    const received = (await response.json()) as { body: string; verified: boolean }[]
    return received.find(({ body }) => body.includes(type))
  })
}

/** Checks that the buyer has landed on the thanks page of the paywall's site. */
async function expectThanks(url: string | null): Promise<void> {
  expect(url).toBe(`${origin(ports.service)}/p/1001/thanks`)
  expect(await (await fetch(String(url))).text()).toContain('<h1>Thank you!</h1>')
}

/** The process id of the world's Postgres. */
function postmaster(): number {
  return Number.parseInt(readFileSync(join(folder, 'local/postgres/data/postmaster.pid'), 'utf8'), 10)
}

async function expectStopped(postmasterId: number): Promise<void> {
  for (const port of Object.values(ports)) await until(`port ${port} free`, async () => !(await isTaken(port)))
  await until('the end of Postgres', async () => !isRunning(postmasterId))
}
