import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { paywall } from '../support/paywall.ts'
import { fileOfBothModes } from '../support/paywall-file.ts'
import { signInByMail } from '../support/sign-in.ts'
import { getTenants, type Person, person, type Tenant } from '../support/tenants.ts'
import { MESSAGE, sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

// An owner with test and live paywalls: the same address belongs to a test user and to a live user.

const world = useTestWorld()
let owner: string
let testing: Tenant
let live: Tenant
let tester: Person
let buyer: Person

beforeAll(async () => {
  const file = await fileOfBothModes()
  await world.apply(file)
  owner = file.owner.email
  ;[testing, live] = getTenants(file) as [Tenant, Tenant]
})

beforeEach(async () => {
  tester = await person(world, testing)
  buyer = await person(world, live, tester.email)
})

const users = (...args: string[]) => paywall(world, ['users', ...args, '--owner', owner])
const readUser = async (id: string) => (await world.database.query('select * from users where id = $1', [id])).rows[0]

test.each([
  ['merge', () => [tester.email, newEmail()]],
  ['set-email', () => [tester.email, newEmail()]],
  ['sign-out', () => [tester.email]],
  ['export', () => [tester.id]],
  ['erase', () => [tester.email, '--yes']],
])('users %s requires a mode, and changes nothing without one', async (verb, args) => {
  const before = [await readUser(tester.id), await readUser(buyer.id)]
  expect(await users(verb, ...args())).toEqual({
    code: 1,
    out: '',
    err: `paywall: owner ${owner} has test and live paywalls: add --test or --live\n`,
  })
  const both = await users(verb, ...args(), '--test', '--live')
  expect(both).toMatchObject({ code: 1, err: expect.stringContaining("cannot be used with option '--live'") })
  expect([await readUser(tester.id), await readUser(buyer.id)]).toEqual(before)
})

describe('with --test or --live', () => {
  test('export prints the user of that mode, and nothing about the other', async () => {
    for (const [mode, one, other, tenant] of [
      ['test', tester, buyer, testing],
      ['live', buyer, tester, live],
    ] as const) {
      const { code, out } = await users('export', tester.email, `--${mode}`)
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({
        mode,
        users: [{ id: one.id }],
        members: [{ paywall_id: tenant.paywall.id }],
      })
      expect(out).not.toContain(other.id)
      expect(await users('export', other.id, `--${mode}`)).toMatchObject({
        code: 1,
        err: `paywall: owner ${owner} has no data about ${other.id} in ${mode} mode\n`,
      })
    }
  })

  test('erase removes the user of that mode, including tickets by guests with its address, and keeps the other', async () => {
    const form = () => ticketForm({ ...MESSAGE, customer_email: tester.email })
    const tickets = []
    for (const tenant of [testing, live]) tickets.push(ticketId(await sendForm({ ...world, ...tenant }, form())))
    const before = await readUser(tester.id)
    expect(await users('erase', tester.email, '--live', '--yes')).toMatchObject({ code: 0 })
    expect(await readUser(buyer.id)).toMatchObject({ email: null, erased_at: expect.any(Date) })
    expect(await readUser(tester.id)).toEqual(before)
    const { rows } = await world.database.query('select id::text from tickets where id = any ($1)', [tickets])
    expect(rows).toEqual([{ id: String(tickets[0]) }])
  })

  test('set-email changes the user of that mode, even if a user of the other mode has the new address', async () => {
    const other = await person(world, live)
    expect(await users('set-email', tester.email, other.email, '--test')).toMatchObject({ code: 0 })
    expect([await readUser(tester.id), await readUser(buyer.id)]).toMatchObject([
      { email: other.email },
      { email: buyer.email },
    ])
    const second = await person(world, testing)
    const { err } = await users('set-email', second.email, other.email, '--test')
    expect(err).toContain(`paywall users merge ${tester.id} ${second.id} --owner ${owner} --test`)
  })

  test('merge finds no user of the other mode', async () => {
    expect(await users('merge', tester.id, buyer.id, '--test')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`the owner has no test user ${buyer.id}`),
    })
  })

  test('sign-out ends the sessions of the user of that mode', async () => {
    const sessions = () =>
      world.database.query('select id from sign_in_sessions where ended_at is null and user_id = $1', [buyer.id])
    await signInByMail(world, tester.email, { paywallId: testing.paywall.id })
    const before = (await sessions()).rows
    expect(await users('sign-out', tester.email, '--test')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Ended 2 sessions/),
    })
    expect(await users('sign-out', '--all', '--test')).toMatchObject({ code: 0 })
    expect((await sessions()).rows).toEqual(before)
    const byPaywall = await paywall(world, ['users', 'sign-out', tester.email, '--paywall', live.paywall.id])
    expect(byPaywall.code).toBe(0)
    expect((await sessions()).rows).toEqual([])
  })
})

test('the mode can be omitted if all paywalls have the same mode', async () => {
  const { email, id } = await person(world, { ...world, paywall: world.paywall })
  const shown = await paywall(world, ['users', 'export', email, '--owner', world.file.owner.email])
  expect(JSON.parse(shown.out)).toMatchObject({ mode: 'test', users: [{ id }] })
})
