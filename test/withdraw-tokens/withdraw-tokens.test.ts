import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_TOKENS } from '../../lib/tokens/add-tokens.ts'
import { signIn } from '../support/exchange.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { countStatements } from '../support/statements.ts'
import { person, startTenants, type Tenants, tenant } from '../support/tenants.ts'
import { changeBalance, type OwnerCall, readLedger, withdraw } from '../support/token-calls.ts'

let tenants: Tenants
/** A member of a paywall whose only type of tokens has no daily limit. */
let unlimited: { paywall_id: string; user_id: string; key: string }

beforeAll(async () => {
  tenants = await startTenants()
  const settings = { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] }
  const shop = tenant(await paywallFile({ paywall: { settings, prices: [] } }))
  await tenants.world.apply(shop.file)
  unlimited = { paywall_id: shop.paywall.id, user_id: (await person(tenants.world, shop)).id, key: shop.key }
})
afterAll(() => tenants.close())

/** Withdraws from our member, with fields of the body replaced. */
const withdrawAsOwner = (fields: Record<string, unknown> = {}, options: OwnerCall = {}) =>
  withdraw(tenants.world, { user_id: tenants.member.id, ...fields }, options)

const withdrawUnlimited = ({ key, ...named } = unlimited, fields: Record<string, unknown> = {}) =>
  withdrawAsOwner({ ...named, ...fields }, { key })

const noBalance = 'No balance found for this user and paywall'
const missing = (names: string) => `Missing required parameters: ${names}`

describe('refusals of contract section 7', () => {
  testRows([
    [
      '400 Insufficient tokens',
      () => withdrawAsOwner({ tokens: 11 }),
      400,
      { error: 'Insufficient tokens', available: 10, requested: 11 },
    ],
    [
      '400 wrong token_type',
      () => withdrawAsOwner({ token_type: 'gold' }),
      400,
      'Token type gold not found in user balance',
    ],
    [
      '400 a token_type that the user never had',
      () => withdrawAsOwner({ token_type: 'premium' }),
      400,
      'Token type premium not found in user balance',
    ],
    [
      '400 a token_type of special characters',
      () => withdrawAsOwner({ token_type: '$&X' }),
      400,
      'Token type $&X not found in user balance',
    ],
    ['400 token_type is not a string', () => withdrawAsOwner({ token_type: 1 }), 400, 'Invalid token_type'],
    ['400 empty body', () => withdrawAsOwner({}, { body: {} }), 400, missing('paywall_id, user_id, tokens')],
    ['400 no user_id', () => withdrawAsOwner({ user_id: undefined }), 400, missing('user_id')],
    [
      '400 blank user_id and null tokens',
      () => withdrawAsOwner({ user_id: '', tokens: null }),
      400,
      missing('user_id, tokens'),
    ],
    ['400 paywall_id is not a string', () => withdrawAsOwner({ paywall_id: 5 }), 400, 'Invalid paywall_id'],
    ['400 user_id is not a string', () => withdrawAsOwner({ user_id: 5 }), 400, 'Invalid user_id'],
    ['400 invalid_body', () => withdrawAsOwner({}, { body: '[]' }), 400, 'invalid_body'],
    ['400 invalid_json', () => withdrawAsOwner({}, { body: 'tokens=1' }), 400, 'invalid_json'],
    ['401 no key', () => withdrawAsOwner({}, { key: null }), 401, 'Invalid API key'],
    ['401 bad key', () => withdrawAsOwner({}, { key: `pk_test_${'0'.repeat(64)}` }), 401, 'Invalid API key'],
    [
      "401 the user's own token",
      () => withdrawAsOwner({}, { key: null, token: tenants.member.token }),
      401,
      'Invalid API key',
    ],
    [
      '403 key of another owner',
      () => withdrawAsOwner({}, { key: tenants.foreign.key }),
      403,
      'Unauthorized. You are not the owner of this paywall',
    ],
    ['404 no balance yet', () => withdrawUnlimited(), 404, noBalance],
    ['404 no balance yet, wrong type', () => withdrawUnlimited(unlimited, { token_type: 'gold' }), 404, noBalance],
    ['404 unknown user', () => withdrawAsOwner({ user_id: randomUUID() }), 404, noBalance],
    ['404 malformed user_id', () => withdrawAsOwner({ user_id: 'owner-7' }), 404, noBalance],
    ['404 user of another paywall', () => withdrawAsOwner({ user_id: tenants.stranger.id }), 404, noBalance],
    ['404 unknown paywall', () => withdrawAsOwner({ paywall_id: '1' }), 404, 'paywall_not_found'],
    ['404 non-numeric paywall', () => withdrawAsOwner({ paywall_id: 'x' }), 404, 'paywall_not_found'],
    ['405', () => withdrawAsOwner({}, { method: 'PATCH' }), 405, 'method_not_allowed'],
  ])

  test.each([0, -1, 1.5, '5', true, [1], MAX_TOKENS + 1, 2 ** 53, 1e308])('400 Invalid tokens: %s', async (tokens) => {
    expect(await withdrawAsOwner({ tokens })).toMatchObject({ status: 400, body: { error: 'Invalid tokens' } })
  })
})

describe('a withdrawal', () => {
  test('returns what remains, in one statement', async () => {
    const { id } = await signIn(tenants.world)
    const statements = await countStatements(tenants.world, async () => {
      const reply = await withdrawAsOwner({ user_id: id, tokens: 4 })
      expect(reply).toMatchObject({ status: 200 })
      expect(reply.body).toEqual({ success: true, remaining: 6 })
    })
    expect(statements).toBe(1)
    expect(await withdrawAsOwner({ user_id: id, tokens: 6, token_type: 'standard' })).toMatchObject({
      body: { remaining: 0 },
    })
    expect(await withdrawAsOwner({ user_id: id })).toMatchObject({ status: 400, body: { available: 0, requested: 1 } })
    expect(await readLedger(tenants.world, id)).toEqual([
      ['standard', 'top_up', 10],
      ['standard', 'debit', -4],
      ['standard', 'debit', -6],
    ])
    await tenants.world.clock.advance(tenants.ours.paywall.id, '1d')
    expect(await withdrawAsOwner({ user_id: id, token_type: '' })).toMatchObject({ body: { remaining: 9 } })
  })

  test('that is refused stores nothing, and reports the daily top-up as available', async () => {
    const { id } = await signIn(tenants.world)
    const before = await stateChecksum(tenants.world)
    const refused = { status: 400, body: { error: 'Insufficient tokens', available: 10, requested: 11 } }
    expect(await withdrawAsOwner({ user_id: id, tokens: 11 })).toMatchObject(refused)
    expect(await stateChecksum(tenants.world)).toBe(before)
    expect(await withdrawAsOwner({ user_id: id, tokens: 10 })).toMatchObject({ status: 200, body: { remaining: 0 } })
  })

  test('can use up all tokens of a credited non-standard type', async () => {
    const { id } = await signIn(tenants.world)
    await changeBalance(tenants.world, { user_id: id, type: 'premium', amount: 3 })
    const premium = (tokens: number) => withdrawAsOwner({ user_id: id, token_type: 'premium', tokens })
    expect(await premium(3)).toMatchObject({ status: 200, body: { remaining: 0 } })
    expect(await premium(1)).toMatchObject({ status: 400, body: { error: 'Insufficient tokens', available: 0 } })
  })

  test('distinguishes a missing type from a missing balance', async () => {
    const { key, paywall_id: paywallId, user_id } = unlimited
    await changeBalance(tenants.world, { user_id, type: 'premium' }, { key, paywallId })
    expect(await withdrawUnlimited()).toMatchObject({
      status: 400,
      body: { error: 'Token type standard not found in user balance' },
    })
    expect(await withdrawUnlimited(unlimited, { token_type: 'premium' })).toMatchObject({ body: { remaining: 0 } })
    expect(await readLedger(tenants.world, user_id)).toHaveLength(2)
  })
})
