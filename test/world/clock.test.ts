import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { writeCommandEnvironment } from '../../dev/world/secrets.ts'
import { call } from '../support/call.ts'
import { openWebhookEndpoint } from '../support/mailbox.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { livePaywallFile, paywallFile } from '../support/paywall-file.ts'
import { subscribe } from '../support/subscriber.ts'
import { newTenant, type Person, person, type Tenant, tenant } from '../support/tenants.ts'
import { MESSAGE, sendForm, ticketForm } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let home: Home
const world = useTestWorld()
beforeAll(async () => {
  home = await startHome({
    port: 0,
    world,
    files: { served: () => [world.file], known: () => [world.file] },
    reload: async () => {},
    visitor: { country: 'US' },
    shop: null,
    invalidFiles: () => [],
  })
})
afterAll(async () => {
  await home.close()
})

/** Creates a paywall and one user. */
async function createUser(): Promise<{ ours: Tenant; user: Person; by: { paywallId: string; key: string } }> {
  const ours = await newTenant(world)
  return { ours, user: await person(world, ours), by: { paywallId: ours.paywall.id, key: ours.key } }
}

const readEventTypes = async (id: string) => (await ownerEvents(world, id)).map(({ type }) => type)

describe('moving a clock', () => {
  test('adds the daily tokens, resets the ticket limit, and expires an Idempotency-Key', async () => {
    const { ours, user, by } = await createUser()
    const headers = { 'idempotency-key': randomUUID() }
    const debit = () => changeBalance(world, { user_id: user.id, op: 'debit', amount: 10 }, { ...by, headers })
    const write = () => sendForm(world, ticketForm(MESSAGE), { paywallId: ours.paywall.id, token: user.token })
    const all = async () => [await debit(), await write(), await write(), await write()].map(({ status }) => status)
    expect(await all()).toEqual([200, 200, 200, 429])
    await world.clock.advance(ours.paywall.id, '23h')
    expect(await write()).toMatchObject({ status: 429 })
    expect(Number((await write()).headers['retry-after'])).toBeLessThanOrEqual(3600)
    expect(await debit()).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })

    await world.clock.advance(ours.paywall.id, '1h')
    expect((await userState(world, user.id, by)).balances).toContainEqual({ type: 'standard', count: 10 })
    expect(await all()).toEqual([200, 200, 200, 429])
  })

  test('runs everything that becomes due, in order and each at its time', async () => {
    const ours = await newTenant(world)
    const mailbox = await openWebhookEndpoint(world)
    const seller = tenant(mailbox.file)
    const { id } = await subscribe(world, seller, 'yearly')
    const before = await world.clock.now(seller.paywall.id)
    const reported = await readEventTypes(id)
    const after = await world.clock.advance(seller.paywall.id, '8d')
    expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(8 * DAY_MS)
    expect(after.getTime() - before.getTime()).toBeLessThan(8 * DAY_MS + 60_000)

    const newEvents = (await ownerEvents(world, id)).slice(reported.length)
    expect(newEvents.map(({ type }) => type).filter((type) => type !== 'subscription.updated')).toEqual([
      'subscription.trial_ending',
      'subscription.renewed',
      'payment.succeeded',
    ])
    const days = newEvents.map(({ timestamp }) => Math.round((Date.parse(timestamp) - before.getTime()) / DAY_MS))
    expect([days[0], days.at(-1)]).toEqual([4, 7])
    // The clock of another paywall stays, and so does that of another account.
    expect((await world.clock.now(ours.paywall.id)).getTime()).toBeLessThan(Date.now() + 1000)
    expect(world.stripe.currentTime(ours.paywall.id)).toBeLessThan(Date.now() / 1000 + 1)
    expect(world.stripe.currentTime(seller.paywall.id)).toBeGreaterThan(Date.now() / 1000 + 7 * 86_400)
  })

  test('waits for webhooks in flight, which get the time before the move', async () => {
    const mailbox = await openWebhookEndpoint(world)
    const seller = tenant(mailbox.file)
    const { id, subscriptionId } = await subscribe(world, seller)
    await ownerEvents(world, id) // so that nothing else is due
    const before = await world.clock.now(seller.paywall.id)
    world.neon.onStatement = async (_, run) => {
      await delay(200)
      return run()
    }
    await world.stripe.renew(subscriptionId, { fail: true })
    await world.clock.advance(seller.paywall.id, '1d')
    world.neon.onStatement = undefined
    const pastDue = (await ownerEvents(world, id)).find(({ type }) => type === 'subscription.past_due')
    expect(Date.parse(String(pastDue?.timestamp)) - before.getTime()).toBeLessThan(60_000)
  })

  test('retries a webhook until the owner accepts it', async () => {
    const mailbox = await openWebhookEndpoint(world)
    mailbox.answer = () => ({ status: 500 })
    await mailbox.credit()
    await world.clock.advance(mailbox.file.paywalls[0]!.id, '1h')
    const attempts = mailbox.received().length
    expect(attempts).toBeGreaterThan(2)
    expect((await mailbox.deliveries())[0]).toMatchObject({ state: 'pending', attempts })

    mailbox.answer = () => ({})
    await world.clock.advance(mailbox.file.paywalls[0]!.id, '1d')
    expect((await mailbox.deliveries())[0]).toMatchObject({ state: 'delivered', attempts: attempts + 1 })
  })

  test('also moves the clocks of paywalls that share its processor account', async () => {
    const [one, other] = ['7001', '7002'].map((id) => ({ id, processor: shared }))
    await world.apply(await paywallFile({ paywalls: [one!, other!] }))
    await world.clock.advance('7002', '1h')
    const now = await world.clock.advance('7001', '1d')
    expect(now.getTime()).toBeGreaterThan(Date.now() + 25 * HOUR_MS - 60_000)
    const read = await Promise.all([world.clock.now('7002'), world.stripe.currentTime('7001') * 1000])
    for (const at of read.map(Number)) expect(Math.abs(at - now.getTime())).toBeLessThan(60_000)
  })

  test('is possible for test paywalls only; for others an error explains why', async () => {
    const live = await livePaywallFile()
    await world.apply(live)
    const advance = (id: string, by = '1d') => world.clock.advance(id, by).catch(({ message }: Error) => message)
    const { id } = live.paywalls[0]!
    expect(await advance(id)).toBe(`paywall ${id} is live, so its clock cannot be moved`)
    expect(await advance('999')).toBe('there is no paywall 999')
    for (const by of ['', 'd', '-1d', '1.5d', '0d', '1 month', '3661d', '1e3d']) {
      expect(await advance(world.paywall.id, by)).toBe(
        `${by} is not a duration: use 90m, 12h, 31d or 2w, at most ten years`,
      )
    }
    await expect(
      world.database.query("update paywalls set clock_offset = '1 day' where id = $1", [id]),
    ).rejects.toMatchObject({ constraint: 'paywalls_live_clock' })
  })

  test('prevents its paywall from becoming live', async () => {
    const { file, paywall } = await newTenant(world)
    await world.clock.advance(paywall.id, '1m')
    const live = { ...file, paywalls: [{ ...paywall, is_test: false }] }
    await expect(world.apply(live)).rejects.toMatchObject({
      messages: ['paywalls[0].test: its clock was moved, so it cannot become a live paywall'],
    })
  })
})

const shared = { acquiring: 'stripe', credentials: { secretKey: 'sk_test_shared', webhookSecret: 'whsec_shared' } }

describe('the home of the local world', () => {
  const post = (body: string, type = 'application/json') =>
    fetch(`${home.url}/clock`, { method: 'POST', headers: { 'content-type': type }, body })

  test('moves a clock, and prints its time', async () => {
    const { id } = (await newTenant(world)).paywall
    const moved = await post(JSON.stringify({ paywall: id, advance: '2w' }))
    const { now } = (await moved.json()) as { now: string }
    expect(Date.parse(now)).toBeGreaterThan(Date.now() + 13.9 * DAY_MS)
    const read = await fetch(`${home.url}/clock?paywall=${id}`)
    expect(await read.json()).toMatchObject({ paywall: id, now: expect.stringContaining(now.slice(0, 16)) })
  })

  test('rejects invalid requests with a message, and requires JSON', async () => {
    const usage = { error: 'send {"paywall": "1001", "advance": "31d"}' }
    for (const body of ['', '[]', '{"paywall": "1"}', '{"paywall": 1, "advance": "1d"}']) {
      const refused = await post(body)
      expect([refused.status, await refused.json()]).toEqual([400, usage])
    }
    const foreign = await post('{"paywall": "1", "advance": "1d"}', 'text/plain')
    expect([foreign.status, await foreign.json()]).toEqual([400, { error: 'send Content-Type: application/json' }])
    expect((await fetch(`${home.url}/clock`, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(`${home.url}/nowhere`)).status).toBe(404)
  })

  test('is the only server that moves clocks: the service has no route for it', async () => {
    const { id } = (await newTenant(world)).paywall
    for (const path of ['/clock', '/api/v1/clock', `/api/v1/paywall/${id}/clock`]) {
      expect(await call(world, path, { body: { paywall: id, advance: '1d' } })).toMatchObject({ status: 404 })
    }
    expect((await world.clock.now(id)).getTime()).toBeLessThan(Date.now() + 1000)
  })

  test('is called by the clock command', async () => {
    const { id } = (await newTenant(world)).paywall
    const moved = await clockCommand(id, '--advance', '1d', '--home', home.url)
    expect(moved).toMatchObject({ code: 0, err: '' })
    expect(Date.parse(moved.out)).toBeGreaterThan(Date.now() + 0.9 * DAY_MS)
    const read = await clockCommand(id, '--home', home.url)
    expect(Date.parse(read.out)).toBeGreaterThanOrEqual(Date.parse(moved.out))
    const refusals = [
      [['999', '--home', home.url], 'paywall: there is no paywall 999\n'],
      [['1', '--home', 'nowhere'], 'paywall: --home must be a URL like http://127.0.0.1:8786, not nowhere\n'],
      [['1', '--home', world.receiver.url], /^paywall: no local world is running at http:\/\/127\.0\.0\.1:/],
      [
        ['1', '--home', 'http://127.0.0.1:9'],
        /^paywall: no local world is running at http:\/\/127\.0\.0\.1:9: start it with npm run dev/,
      ],
    ] as const
    for (const [args, shown] of refusals) {
      expect(await clockCommand(...args)).toMatchObject({ code: 1, err: expect.stringMatching(shown) })
    }
  })

  test('is found by the clock command, whatever its port', async () => {
    const { id } = (await newTenant(world)).paywall
    const folder = mkdtempSync(join(tmpdir(), 'paywall-clock-'))
    writeCommandEnvironment(folder, { databaseUrl: world.databaseUrl, home: home.url }, world.secrets)
    const read = await clockCommandIn({ PAYWALL_LOCAL_DIR: folder }, id)
    rmSync(folder, { recursive: true })
    expect(read).toMatchObject({ code: 0, err: '' })
    expect(Date.parse(read.out)).toBeGreaterThan(Date.now() - HOUR_MS)
  })
})

const clockCommand = (...args: string[]) => clockCommandIn({}, ...args)

/** `paywall clock` as a person runs it, in a process of its own. */
function clockCommandIn(
  variables: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | string; out: string; err: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...variables }
    execFile(process.execPath, ['cli/main.ts', 'clock', ...args], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out: out.trim(), err })
    })
  })
}
