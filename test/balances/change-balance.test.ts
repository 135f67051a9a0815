import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_TOKENS } from '../../lib/tokens/add-tokens.ts'
import { signIn } from '../support/exchange.ts'
import { testRows } from '../support/rows.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { countStatements } from '../support/statements.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'
import { changeBalance, type OwnerCall, readLedger } from '../support/token-calls.ts'

let tenants: Tenants

beforeAll(async () => {
  tenants = await startTenants()
})
afterAll(() => tenants.close())

/** Credits our member, with fields of the body replaced. */
const change = (fields: Record<string, unknown> = {}, options: OwnerCall & { paywallId?: string } = {}) =>
  changeBalance(tenants.world, { user_id: tenants.member.id, ...fields }, options)

/** A new user, who gets the day's 10 standard tokens with the first call. */
const newUser = () => signIn(tenants.world)

const refusal = (code: string) => ({ error: code, code })

describe('refusals of contract section 7', () => {
  testRows([
    ['400 insufficient', () => change({ op: 'debit', amount: 11 }), 400, { ...refusal('insufficient'), available: 10 }],
    [
      '400 insufficient for a type without a balance',
      () => change({ op: 'debit', type: 'premium' }),
      400,
      { ...refusal('insufficient'), available: 0 },
    ],
    ['400 invalid_op', () => change({ op: 'take' }), 400, refusal('invalid_op')],
    ['400 invalid_op, missing', () => change({ op: undefined }), 400, refusal('invalid_op')],
    ['400 type_required', () => change({ type: undefined }), 400, refusal('type_required')],
    ['400 type_required, blank', () => change({ type: '' }), 400, refusal('type_required')],
    ['400 type_required, not a string', () => change({ type: 5 }), 400, refusal('type_required')],
    ['400 invalid_type', () => change({ type: 'gold' }), 400, refusal('invalid_type')],
    ['400 invalid_type, other case', () => change({ type: 'Standard' }), 400, refusal('invalid_type')],
    ['400 identity_required', () => change({ user_id: undefined }), 400, refusal('identity_required')],
    ['400 identity_required, blank', () => change({ user_id: '', email: '' }), 400, refusal('identity_required')],
    ['400 invalid_op is reported first', () => change({ op: 0, amount: 0, type: 0 }), 400, refusal('invalid_op')],
    ['400 invalid_body', () => change({}, { body: '[]' }), 400, refusal('invalid_body')],
    ['400 invalid_json', () => change({}, { body: '{' }), 400, refusal('invalid_json')],
    [
      '400 Idempotency-Key',
      () => change({}, { headers: { 'idempotency-key': 'mine' } }),
      400,
      refusal('Invalid Idempotency-Key format'),
    ],
    ['401 no key', () => change({}, { key: null }), 401, refusal('unauthorized')],
    ['401 bad key', () => change({}, { key: `pk_test_${'0'.repeat(64)}` }), 401, refusal('unauthorized')],
    [
      "401 the user's own token",
      () => change({}, { key: null, token: tenants.member.token }),
      401,
      refusal('unauthorized'),
    ],
    [
      '401 bad key with a good token',
      () => change({}, { key: 'pk_test_0', token: tenants.member.token }),
      401,
      refusal('unauthorized'),
    ],
    ['403 key of another owner', () => change({}, { key: tenants.foreign.key }), 403, refusal('forbidden')],
    ['404 unknown user', () => change({ user_id: randomUUID() }), 404, refusal('identity_not_found')],
    ['404 malformed user_id', () => change({ user_id: "' or 1=1" }), 404, refusal('identity_not_found')],
    ['404 user of another paywall', () => change({ user_id: tenants.stranger.id }), 404, refusal('identity_not_found')],
    [
      '404 unknown e-mail',
      () => change({ user_id: undefined, email: 'nobody@example.com' }),
      404,
      refusal('identity_not_found'),
    ],
    ["404 another user's e-mail", () => change({ email: tenants.payer.email }), 404, refusal('identity_not_found')],
    ['404 unknown paywall', () => change({}, { paywallId: '1' }), 404, refusal('paywall_not_found')],
    ['404 non-numeric paywall', () => change({}, { paywallId: 'x' }), 404, refusal('paywall_not_found')],
    ['405', () => change({}, { method: 'PUT' }), 405, refusal('method_not_allowed')],
    ['413', () => change({ pad: 'x'.repeat(65536) }), 413, refusal('payload_too_large')],
  ])

  test.each([0, -1, 1.5, '5', null, undefined, true, [1], MAX_TOKENS + 1, 2 ** 53, 2 ** 53 + 2, 1e308])(
    '400 invalid_amount: %s',
    async (amount) => {
      expect(await change({ amount })).toMatchObject({ status: 400, body: refusal('invalid_amount') })
    },
  )

  test('a refused call writes nothing, not even the daily top-up', async () => {
    const { id } = await newUser()
    const refused = [
      { type: 'gold' },
      { amount: 0 },
      { user_id: randomUUID() },
      { type: 'premium', op: 'debit', user_id: tenants.stranger.id },
    ]
    for (const fields of refused) await change({ user_id: id, ...fields })
    await change({ user_id: id }, { key: tenants.foreign.key })
    const { rows } = await tenants.world.database.query('select from balances where user_id = any ($1)', [
      [id, tenants.stranger.id],
    ])
    expect(rows).toEqual([])
  })
})

describe('a credit or a debit', () => {
  test('returns the new count and all balances, in one statement', async () => {
    const { id } = await newUser()
    const statements = await countStatements(tenants.world, async () => {
      const reply = await change({ user_id: id, amount: 5 })
      expect(reply).toMatchObject({ status: 200 })
      expect(reply.body).toEqual({
        success: true,
        user_id: id,
        type: 'standard',
        count: 15,
        balances: [
          { type: 'premium', count: 0 },
          { type: 'standard', count: 15 },
        ],
      })
    })
    expect(statements).toBe(1)
    expect(await change({ user_id: id, type: 'premium', amount: 7 })).toMatchObject({ body: { count: 7 } })
    expect(await change({ user_id: id, type: 'premium', op: 'debit', amount: 7 })).toMatchObject({
      body: {
        count: 0,
        balances: [
          { type: 'premium', count: 0 },
          { type: 'standard', count: 15 },
        ],
      },
    })
    expect(await readLedger(tenants.world, id)).toEqual([
      ['standard', 'top_up', 10],
      ['standard', 'credit', 5],
      ['premium', 'credit', 7],
      ['premium', 'debit', -7],
    ])
  })

  test('makes no statement without a key, and with an invalid body only the one that checks the key', async () => {
    expect(await countStatements(tenants.world, () => change({}, { key: null }))).toBe(0)
    expect(await countStatements(tenants.world, () => change({ amount: 0 }))).toBe(1)
  })

  test('finds the user by any spelling of the e-mail, and by e-mail and id', async () => {
    const { id, email } = await newUser()
    const spelling = ` ${email.toUpperCase()} `
    expect(await change({ user_id: undefined, email: spelling })).toMatchObject({ body: { user_id: id, count: 11 } })
    expect(await change({ user_id: id, email: spelling })).toMatchObject({ body: { user_id: id, count: 12 } })
    expect(await change({ user_id: null, email })).toMatchObject({ body: { user_id: id, count: 13 } })
  })

  test('changes the balance at every call', async () => {
    const { id } = await newUser()
    for (const count of [11, 12, 13]) expect(await change({ user_id: id })).toMatchObject({ body: { count } })
  })

  test('can debit the last token, and returns what is left if there are too few', async () => {
    const { id } = await newUser()
    const debit = (amount: number) => change({ user_id: id, op: 'debit', amount })
    expect(await debit(4)).toMatchObject({ body: { count: 6 } })
    expect(await debit(7)).toMatchObject({ status: 400, body: { ...refusal('insufficient'), available: 6 } })
    expect(await debit(6)).toMatchObject({ body: { count: 0 } })
    expect(await debit(1)).toMatchObject({ status: 400, body: { available: 0 } })
    expect((await readLedger(tenants.world, id)).map(([, , delta]) => delta)).toEqual([10, -4, -6])
  })

  test('keeps every count below 2^53', async () => {
    const { id } = await newUser()
    await change({ user_id: id, amount: MAX_TOKENS })
    const limit = Number.MAX_SAFE_INTEGER
    await tenants.world.database.query("update balances set count = $2 where user_id = $1 and type = 'standard'", [
      id,
      limit - 3,
    ])
    await tenants.world.clock.advance(tenants.ours.paywall.id, '1d')
    const before = await stateChecksum(tenants.world)
    expect(await change({ user_id: id, amount: 4 })).toMatchObject({ status: 400, body: refusal('balance_limit') })
    expect(await stateChecksum(tenants.world)).toBe(before)
    expect(await change({ user_id: id, amount: MAX_TOKENS })).toMatchObject({ status: 400 })
    expect(await change({ user_id: id, amount: 3 })).toMatchObject({ status: 200, body: { count: limit } })
    expect(await change({ user_id: id, op: 'debit' })).toMatchObject({ body: { count: limit - 1 } })
  })
})
