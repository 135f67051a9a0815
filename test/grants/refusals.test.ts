import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { createGrant, endGrant, parseGranted } from '../support/grant-calls.ts'
import { fileOfBothModes, monthly } from '../support/paywall-file.ts'
import { refusal } from '../support/refusal.ts'
import { testRows } from '../support/rows.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { at, getTenants, person, startTenants, type Tenant, type Tenants } from '../support/tenants.ts'

// Who may grant access, to whom, and with which bodies.

const DOMAIN = `grants-${randomUUID()}.example`
const PACK = {
  slug: 'pack',
  label: '50 credits',
  currency: 'USD',
  amount: 5,
  access: false,
  tokens: [{ type: 'standard', count: 50 }],
  processorPrice: 'price_pack',
}

let tenants: Tenants

beforeAll(async () => {
  tenants = await startTenants({ paywall: { prices: [monthly(), PACK], domain: DOMAIN } })
})
afterAll(() => tenants.close())

const create = (fields: Record<string, unknown> = {}, options = {}) =>
  createGrant(tenants.world, { user_id: tenants.member.id, ...fields }, options)

/** With another body than a valid one. */
const send = (body: unknown) => call(tenants.world, at(tenants.ours, 'grants'), { key: tenants.ours.key, body })

const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString()

const foreignPriceId = () => tenants.foreign.paywall.prices[0]!.id

const NEVER = randomUUID()
const ACCESS_DENIED = 'Access denied: API key owner does not match paywall owner'

describe('creating', () => {
  testRows([
    ['401 no key', () => create({}, { key: null }), 401, refusal('Unauthorized')],
    ['401 a token', () => create({}, { key: null, token: tenants.member.token }), 401, refusal('Unauthorized')],
    ['401 bad key', () => create({}, { key: 'pk_test_0' }), 401, refusal('Invalid API key')],
    [
      '401 bad key with a bad body',
      () => create({ reason: '' }, { key: 'pk_test_0' }),
      401,
      refusal('Invalid API key'),
    ],
    ['403 another owner’s key', () => create({}, { key: tenants.foreign.key }), 403, refusal(ACCESS_DENIED)],
    ['404 unknown paywall', () => create({}, { paywallId: '999999999' }), 404, refusal('paywall_not_found')],
    ['404 unknown user', () => create({ user_id: NEVER }), 404, refusal('identity_not_found')],
    ['404 unknown address', () => create({ user_id: null, email: newEmail() }), 404, refusal('identity_not_found')],
    ['404 another owner’s user', () => create({ user_id: tenants.stranger.id }), 404, refusal('identity_not_found')],
    ['404 two users', () => create({ email: tenants.payer.email }), 404, refusal('identity_not_found')],
    ['400 nobody', () => create({ user_id: null }), 400, refusal('identity_required')],
    ['400 user_id is no text', () => create({ user_id: 7 }), 400, refusal('identity_required')],
    ['400 no reason', () => create({ reason: undefined }), 400, refusal('reason_required')],
    ['400 a blank reason', () => create({ reason: ' \n ' }), 400, refusal('reason_required')],
    ['400 a long reason', () => create({ reason: 'x'.repeat(501) }), 400, refusal('invalid_reason')],
    ['400 neither end', () => create({ days: null }), 400, refusal('end_required')],
    ['400 both ends', () => create({ days: 1, ends_at: inDays(1) }), 400, refusal('end_required')],
    ['400 no days', () => create({ days: 0 }), 400, refusal('invalid_days')],
    ['400 too many days', () => create({ days: 3651 }), 400, refusal('invalid_days')],
    ['400 half a day', () => create({ days: 0.5 }), 400, refusal('invalid_days')],
    ['400 days as text', () => create({ days: '30' }), 400, refusal('invalid_days')],
    ['400 a past end', () => create({ ends_at: inDays(-1) }), 400, refusal('invalid_ends_at')],
    ['400 a late end', () => create({ ends_at: inDays(3651) }), 400, refusal('invalid_ends_at')],
    ['400 no time', () => create({ ends_at: 'tomorrow' }), 400, refusal('invalid_ends_at')],
    ['400 a day', () => create({ ends_at: '2027-01-01' }), 400, refusal('invalid_ends_at')],
    ['400 no zone', () => create({ ends_at: '2027-01-01T00:00:00' }), 400, refusal('invalid_ends_at')],
    ['400 no such day', () => create({ ends_at: '2027-02-30T00:00:00Z' }), 400, refusal('invalid_ends_at')],
    ['400 year 0', () => create({ ends_at: '0000-01-01T00:00:00+23:59' }), 400, refusal('invalid_ends_at')],
    ['400 year 9999', () => create({ ends_at: '9999-12-31T23:59:59-23:59' }), 400, refusal('invalid_ends_at')],
    ['404 unknown price', () => create({ price: 'platinum' }), 404, refusal('price_not_found')],
    ['404 another owner’s price', () => create({ price: foreignPriceId() }), 404, refusal('price_not_found')],
    ['400 a pack', () => create({ price: 'pack' }), 400, refusal('price_without_access')],
    ['400 price is no text', () => create({ price: 1 }), 400, refusal('invalid_price')],
    ['400 no object', () => send([]), 400, refusal('invalid_body')],
    [
      '405',
      () => call(tenants.world, at(tenants.ours, 'grants'), { key: tenants.ours.key }),
      405,
      refusal('method_not_allowed'),
    ],
  ])

  test('with a refusal writes nothing', async () => {
    const before = await stateChecksum(tenants.world)
    for (const fields of [{ price: 'platinum' }, { price: 'pack' }, { ends_at: inDays(-1) }, { user_id: NEVER }]) {
      expect((await create(fields)).status).toBeGreaterThanOrEqual(400)
    }
    expect(await stateChecksum(tenants.world)).toEqual(before)
  })

  test('accepts 3,650 days, a reason of 500 characters, and nulls', async () => {
    const fields = { days: 3650, reason: 'ä'.repeat(500), ends_at: null, price: null, email: null, external_id: null }
    expect(parseGranted(await create(fields))).toMatchObject({ user_id: tenants.member.id })
  })

  test('works on the paywall’s own domain, where no other paywall’s grant exists', async () => {
    const { world, ours, foreign, member, stranger } = tenants
    const body = { user_id: member.id, days: 1, reason: 'Friend' }
    const own = await call(world, `https://${DOMAIN}${at(ours, 'grants')}`, { key: ours.key, body })
    expect(own).toMatchObject({ status: 200 })
    const asked = { key: foreign.key, body: { ...body, user_id: stranger.id } }
    const other = await call(world, `https://${DOMAIN}${at(foreign, 'grants')}`, asked)
    expect(other).toMatchObject({ status: 404, body: { error: 'paywall_not_found' } })
  })
})

describe('ending', () => {
  let ourGrant: string
  let theirGrant: string

  beforeAll(async () => {
    const { world, foreign, stranger } = tenants
    const here = { paywallId: foreign.paywall.id, key: foreign.key }
    ourGrant = parseGranted(await create()).grant.id
    theirGrant = parseGranted(await createGrant(world, { user_id: stranger.id }, here)).grant.id
  })

  const end = (options = {}, id = ourGrant) => endGrant(tenants.world, id, options)

  testRows([
    ['401 no key', () => end({ key: null }), 401, refusal('Unauthorized')],
    ['401 a token', () => end({ key: null, token: tenants.member.token }), 401, refusal('Unauthorized')],
    ['401 bad key', () => end({ key: 'pk_test_0' }), 401, refusal('Invalid API key')],
    ['401 bad key with a bad body', () => end({ key: 'pk_test_0', body: [] }), 401, refusal('Invalid API key')],
    ['403 another owner’s key', () => end({ key: tenants.foreign.key }), 403, refusal(ACCESS_DENIED)],
    ['404 another owner’s grant', () => end({}, theirGrant), 404, refusal('grant_not_found')],
    ['404 unknown grant', () => end({}, NEVER), 404, refusal('grant_not_found')],
    ['404 no id', () => end({}, 'none'), 404, refusal('grant_not_found')],
    ['400 a long reason', () => end({ body: { reason: 'x'.repeat(501) } }), 400, refusal('invalid_reason')],
    ['400 reason is no text', () => end({ body: { reason: 1 } }), 400, refusal('invalid_reason')],
    ['405', () => end({ method: 'GET' }), 405, refusal('method_not_allowed')],
  ])

  test('with a refusal ends nothing', async () => {
    const { rows } = await tenants.world.database.query('select from grants where ended_at is not null')
    expect(rows).toEqual([])
  })
})

test('a key of the other mode is refused, for creating and for ending', async () => {
  const { world } = tenants
  const file = await fileOfBothModes()
  await world.apply(file)
  const [test, live] = getTenants(file) as [Tenant, Tenant]
  const { id } = await person(world, live)
  const [paywallId, refused] = [live.paywall.id, { status: 401, body: { error: 'Invalid API key' } }]
  const { grant } = parseGranted(await createGrant(world, { user_id: id }, { paywallId, key: live.key }))
  expect(await createGrant(world, { user_id: id }, { paywallId, key: test.key })).toMatchObject(refused)
  expect(await endGrant(world, grant.id, { paywallId, key: test.key })).toMatchObject(refused)
})
