import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_TOKENS } from '../../lib/tokens/change-count.ts'
import { signIn } from '../support/exchange.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { readStatements } from '../support/statements.ts'
import { person, startTenants, type Tenants, tenant } from '../support/tenants.ts'
import { changeBalance, type OwnerCall, readLedger, withdraw } from '../support/token-calls.ts'

let all: Tenants
/** A member of a paywall whose only type of tokens has no daily limit. */
let unlimited: { paywall_id: string; user_id: string; key: string }

beforeAll(async () => {
  all = await startTenants()
  const settings = { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] }
  const shop = tenant(await paywallFile({ paywall: { settings, prices: [] } }))
  await all.world.apply(shop.file)
  unlimited = { paywall_id: shop.paywall.id, user_id: (await person(all.world, shop)).id, key: shop.key }
})
afterAll(() => all.close())

/** Withdraws from our member, with fields of the body replaced. */
const take = (fields: Record<string, unknown> = {}, options: OwnerCall = {}) =>
  withdraw(all.world, { user_id: all.member.id, ...fields }, options)

const takeUnlimited = ({ key, ...named } = unlimited, fields: Record<string, unknown> = {}) =>
  take({ ...named, ...fields }, { key })

const noBalance = 'No balance found for this user and paywall'
const missing = (names: string) => `Missing required parameters: ${names}`

describe('refusals of contract section 7', () => {
  testRows([
    [
      '400 Insufficient tokens',
      () => take({ tokens: 11 }),
      400,
      { error: 'Insufficient tokens', available: 10, requested: 11 },
    ],
    ['400 wrong token_type', () => take({ token_type: 'gold' }), 400, 'Token type gold not found in user balance'],
    [
      '400 a token_type that the user never had',
      () => take({ token_type: 'premium' }),
      400,
      'Token type premium not found in user balance',
    ],
    ['400 a token_type of signs', () => take({ token_type: '$&X' }), 400, 'Token type $&X not found in user balance'],
    ['400 token_type is no text', () => take({ token_type: 1 }), 400, 'Invalid token_type'],
    ['400 nothing named', () => take({}, { body: {} }), 400, missing('paywall_id, user_id, tokens')],
    ['400 no user_id', () => take({ user_id: undefined }), 400, missing('user_id')],
    ['400 blank and null', () => take({ user_id: '', tokens: null }), 400, missing('user_id, tokens')],
    ['400 paywall_id is no text', () => take({ paywall_id: 5 }), 400, 'Invalid paywall_id'],
    ['400 user_id is no text', () => take({ user_id: 5 }), 400, 'Invalid user_id'],
    ['400 invalid_body', () => take({}, { body: '[]' }), 400, 'invalid_body'],
    ['400 invalid_json', () => take({}, { body: 'tokens=1' }), 400, 'invalid_json'],
    ['401 no key', () => take({}, { key: null }), 401, 'Invalid API key'],
    ['401 bad key', () => take({}, { key: `pk_test_${'0'.repeat(64)}` }), 401, 'Invalid API key'],
    ["401 the user's own token", () => take({}, { key: null, token: all.member.token }), 401, 'Invalid API key'],
    [
      '403 key of another owner',
      () => take({}, { key: all.foreign.key }),
      403,
      'Unauthorized. You are not the owner of this paywall',
    ],
    ['404 no balance yet', () => takeUnlimited(), 404, noBalance],
    ['404 no balance yet, wrong type', () => takeUnlimited(unlimited, { token_type: 'gold' }), 404, noBalance],
    ['404 unknown user', () => take({ user_id: randomUUID() }), 404, noBalance],
    ['404 user_id that is no id', () => take({ user_id: 'owner-7' }), 404, noBalance],
    ['404 user of another paywall', () => take({ user_id: all.stranger.id }), 404, noBalance],
    ['404 unknown paywall', () => take({ paywall_id: '1' }), 404, 'paywall_not_found'],
    ['404 paywall that is no number', () => take({ paywall_id: 'x' }), 404, 'paywall_not_found'],
    ['405', () => take({}, { method: 'PATCH' }), 405, 'method_not_allowed'],
  ])

  test.each([0, -1, 1.5, '5', true, [1], MAX_TOKENS + 1, 2 ** 53, 1e308])('400 Invalid tokens: %s', async (tokens) => {
    expect(await take({ tokens })).toMatchObject({ status: 400, body: { error: 'Invalid tokens' } })
  })
})

describe('a withdrawal', () => {
  test('returns what remains, in one statement', async () => {
    const { id } = await signIn(all.world)
    const statements = await readStatements(all.world, async () => {
      const reply = await take({ user_id: id, tokens: 4 })
      expect(reply).toMatchObject({ status: 200 })
      expect(reply.body).toEqual({ success: true, remaining: 6 })
    })
    expect(statements).toBe(1)
    expect(await take({ user_id: id, tokens: 6, token_type: 'standard' })).toMatchObject({ body: { remaining: 0 } })
    expect(await take({ user_id: id })).toMatchObject({ status: 400, body: { available: 0, requested: 1 } })
    expect(await readLedger(all.world, id)).toEqual([
      ['standard', 'top_up', 10],
      ['standard', 'debit', -4],
      ['standard', 'debit', -6],
    ])
    await all.world.clock.advance(all.ours.paywall.id, '1d')
    expect(await take({ user_id: id, token_type: '' })).toMatchObject({ body: { remaining: 9 } })
  })

  test('that is refused stores nothing, and includes the daily top-up in what is available', async () => {
    const { id } = await signIn(all.world)
    const before = await stateChecksum(all.world)
    const refused = { status: 400, body: { error: 'Insufficient tokens', available: 10, requested: 11 } }
    expect(await take({ user_id: id, tokens: 11 })).toMatchObject(refused)
    expect(await stateChecksum(all.world)).toBe(before)
    expect(await take({ user_id: id, tokens: 10 })).toMatchObject({ status: 200, body: { remaining: 0 } })
  })

  test('can take all tokens of a credited non-standard type', async () => {
    const { id } = await signIn(all.world)
    await changeBalance(all.world, { user_id: id, type: 'premium', amount: 3 })
    const premium = (tokens: number) => take({ user_id: id, token_type: 'premium', tokens })
    expect(await premium(3)).toMatchObject({ status: 200, body: { remaining: 0 } })
    expect(await premium(1)).toMatchObject({ status: 400, body: { error: 'Insufficient tokens', available: 0 } })
  })

  test('distinguishes a missing type from a missing balance', async () => {
    const { key, paywall_id: paywallId, user_id } = unlimited
    await changeBalance(all.world, { user_id, type: 'premium' }, { key, paywallId })
    expect(await takeUnlimited()).toMatchObject({
      status: 400,
      body: { error: 'Token type standard not found in user balance' },
    })
    expect(await takeUnlimited(unlimited, { token_type: 'premium' })).toMatchObject({ body: { remaining: 0 } })
    expect(await readLedger(all.world, user_id)).toHaveLength(2)
  })
})
