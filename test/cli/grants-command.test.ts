import { beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '../support/exchange.ts'
import { createGrant, parseGranted } from '../support/grant-calls.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { newTenant, person, type Tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
/** Another owner. */
let foreign: Tenant

beforeAll(async () => {
  foreign = await newTenant(world)
})

const grants = (...args: string[]) => paywall(world, ['grants', ...args, '--paywall', world.paywall.id])

test('gives access with the features of a price, lists it with its reason, and ends it', async () => {
  const { id, email } = await signIn(world)
  const given = await grants('give', email, '--days', '30', '--price', 'monthly', '--reason', 'Apology', '--json')
  expect(given).toMatchObject({ code: 0, err: '' })
  const { user_id, grant } = JSON.parse(given.out)
  expect(user_id).toBe(id)
  expect(await userState(world, id)).toMatchObject({ paid: true, access_until: grant.ends_at, grants: [grant] })

  const listed = await grants('list', id, '--json')
  const rows = [{ ...grant, user_id: id, email, reason: 'Apology', granted_by: 'command', ended_by: null }]
  expect(JSON.parse(listed.out)).toMatchObject({ total: 1, grants: rows })
  expect(await grants('list', email)).toMatchObject({ code: 0, out: expect.stringContaining('by command: Apology') })

  const ended = await grants('end', grant.id, '--reason', 'Wrong user')
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^The grant [0-9a-f-]{36} of user .* ended at /) })
  expect(await grants('end', grant.id)).toEqual(ended)
  expect(await userState(world, id)).toMatchObject({ paid: false, grants: [] })
  expect((await grants('list', email)).out).toContain('ended by command: Wrong user')
  await world.workers.scheduled('deliver-events')
  expect((await ownerEvents(world, id)).map(({ type }) => type)).toEqual(['grant.created', 'grant.ended'])
})

test('gives access until a time, and shows who has granted with which key', async () => {
  const { id } = await signIn(world)
  const until = new Date(Date.now() + 90 * 24 * 3600 * 1000).toISOString()
  const given = await grants('give', id, '--until', until, '--reason', 'Tester')
  expect(given).toMatchObject({ code: 0, out: expect.stringContaining(`until ${until}`) })
  parseGranted(await createGrant(world, { user_id: id, reason: 'By the API \u202e' }))
  const { out } = await grants('list', id)
  expect(out).toMatch(/without features, given \S+ by key:[0-9a-f-]{36}: By the API /)
  expect(out).not.toContain('\u202e')
  expect(JSON.parse((await grants('list', '--json')).out).total).toBeGreaterThanOrEqual(2)
})

describe('refuses, and says what to do:', () => {
  const give = (...args: string[]) => ['give', 'USER', '--reason', 'Friend', ...args]
  test.each<[what: string, args: string[], error: RegExp]>([
    ['an unknown verb', ['giv'], /did you mean give/],
    ['no user', ['give', '--days', '1', '--reason', 'x'], /missing required argument 'user'/],
    ['no end', give(), /either --days N or --until TIME/],
    ['two ends', give('--days', '1', '--until', '2027-01-01T00:00:00Z'), /either --days N or --until TIME/],
    ['no days', give('--days', '0'), /from 1 to 3650/],
    ['days that are none', give('--days', '1e2'), /from 1 to 3650/],
    ['no time', give('--until', 'tomorrow'), /2027-01-31T23:00:00Z/],
    ['a past end', give('--until', '2020-01-01T00:00:00Z'), /in the future/],
    ['no reason', ['give', 'USER', '--days', '1'], /add --reason TEXT/],
    ['a long reason', ['give', 'USER', '--days', '1', '--reason', 'x'.repeat(501)], /500 characters/],
    [
      'an unknown user',
      ['give', 'nobody@example.com', '--days', '1', '--reason', 'x'],
      /no test user nobody@example.com/,
    ],
    ['a misspelt price', give('--days', '1', '--price', 'montly'), /did you mean monthly/],
    ['an unknown price', give('--days', '1', '--price', 'platinum'), /it sells monthly, yearly/],
    ['an unknown grant', ['end', 'G-1'], /paywall grants list --paywall/],
    ['an option of another verb', ['list', 'USER', '--days', '1'], /unknown option '--days'/],
  ])('%s', async (_what, args, error) => {
    const { email } = await signIn(world)
    const { code, err } = await grants(...args.map((each) => (each === 'USER' ? email : each)))
    expect([code, err]).toEqual([1, expect.stringMatching(error)])
  })

  test('a paywall that does not exist', async () => {
    const refused = await paywall(world, ['grants', 'list', '--paywall', '9'])
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('there is no paywall 9') })
  })

  test('another owner’s user and grant', async () => {
    const { id } = await person(world, foreign)
    const { grant } = parseGranted(
      await createGrant(world, { user_id: id }, { paywallId: foreign.paywall.id, key: foreign.key }),
    )
    expect(await grants('give', id, '--days', '1', '--reason', 'x')).toMatchObject({ code: 1 })
    expect(await grants('list', id)).toMatchObject({ code: 1 })
    expect(await grants('end', grant.id)).toMatchObject({ code: 1, err: expect.stringContaining('has no grant') })
    const { rows } = await world.database.query('select ended_at from grants where id = $1', [grant.id])
    expect(rows).toEqual([{ ended_at: null }])
  })
})
