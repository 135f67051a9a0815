import { describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened } from '../support/checkout.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { subscribe } from '../support/subscriber.ts'
import { tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const path = (endpoint: string) => `/api/v1/paywall/${world.paywall.id}/${endpoint}`
const post = (endpoint: string, body: string) => call(world, path(endpoint), { key: world.key, body })

/** A start-checkout whose userMeta is the given JSON text. */
const withMeta = (json: string) =>
  post(
    'start-checkout',
    `{"email":"${newEmail()}","priceId":"${getPriceId(world.paywall, 'monthly')}","successUrl":"https://a.example/",` +
      `"errorUrl":"https://a.example/","userMeta":${json}}`,
  )

/** The rest of the body; earlier purchases are ignored. */
const ORDER = { successUrl: 'https://a.example/', errorUrl: 'https://a.example/', ignoreActivePurchase: true }

describe('userMeta', () => {
  test.each([
    ['NUL in a string', '{"a":"x\\u0000y"}'],
    ['NUL in a name', '{"a\\u0000":1}'],
    ['NUL deep inside', '{"a":[{"b":["\\u0000"]}]}'],
    ['a lone surrogate in a name', '{"\\udfff":1}'],
  ])('400 for %s', async (_name, meta) => {
    expect(await withMeta(meta)).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
  })

  test.each(['1e400', '-1e999', `1${'0'.repeat(400)}`, '[1,{"deep":1E+999}]'])(
    '400 for %.20s, which JavaScript would parse as infinity',
    async (number) => {
      expect(await withMeta(`{"x":${number}}`)).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
      const portal = await post('get-customer-portal', `{"email":"a@b.co","userMeta":{"x":${number}}}`)
      expect(portal).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
    },
  )

  test.each([
    ['start-checkout', () => ({ ...ORDER, priceId: getPriceId(world.paywall, 'monthly') })],
    ['get-customer-portal', () => ({})],
  ])('merges up to 64 KB by %s, and refuses what would exceed it', async (endpoint, order) => {
    const { id, email } = await subscribe(world, tenant(world.file))
    await world.stripe.drainWebhooks()
    const kept = 'x'.repeat(64 * 1024 - '{"a": 1, "kept": ""}'.length)
    await world.database.query(`update members set meta = jsonb_build_object('kept', $2::text) where user_id = $1`, [
      id,
      kept,
    ])
    const merge = (userMeta: object) => post(endpoint, JSON.stringify({ email, userMeta, ...order() }))
    const before = await stateChecksum(world)
    expect(await merge({ a: 12 })).toMatchObject({ status: 400, body: { error: 'userMeta too large' } })
    expect(await stateChecksum(world)).toBe(before)
    expect(await merge({ a: 1 })).toMatchObject({ status: 200 })
    const reply = await call(world, path(`user?user_id=${id}`), { key: world.key })
    expect(reply.body).toMatchObject({ meta: { kept, a: 1 } })

    await world.database.query('update members set meta = meta || \'{"more":true}\' where user_id = $1', [id])
    expect(await merge({}), 'meta that is already too large blocks nothing').toMatchObject({ status: 200 })
    expect(await merge({ a: '' }), 'as large as before').toMatchObject({ status: 400 })
    expect(await merge({ kept: '' }), 'smaller').toMatchObject({ status: 200 })
  })

  test.each([
    ['a backslash before u0000', '{"path":"\\\\u0000"}', { path: '\\u0000' }],
    ['a complete surrogate pair', '{"smile":"\\ud83d\\ude00"}', { smile: '😀' }],
    [
      'names of object properties',
      '{"constructor":1,"toString":"x","hasOwnProperty":null}',
      { constructor: 1, toString: 'x', hasOwnProperty: null },
    ],
    ['the largest and the smallest number', '{"a":9007199254740991,"b":5e-324}', { a: 9007199254740991, b: 5e-324 }],
    [
      'quotes that are special in SQL',
      `{"name":"Robert'); drop table users;--","$1":"$2"}`,
      { name: "Robert'); drop table users;--", $1: '$2' },
    ],
  ])('keeps %s unchanged', async (_name, json, meta) => {
    const { userId } = parseOpened(await withMeta(json))
    const reply = await call(world, path(`user?user_id=${userId}`), { key: world.key })
    expect(reply.body).toMatchObject({ meta })
  })

  test.each([
    '{"id":9007199254740993}',
    '{"ids":[{"id":-9007199254740992}]}',
    '{"big":1e300}',
    '{"__proto__":{"is_admin":true},"a":1}',
    '{"a":[{"__proto__":null}]}',
  ])('400 for %s, which could not be stored unchanged', async (meta) => {
    const refused = { status: 400, body: { error: 'Invalid userMeta' } }
    expect(await withMeta(meta)).toMatchObject(refused)
    expect(await post('get-customer-portal', `{"email":"a@b.co","userMeta":${meta}}`)).toMatchObject(refused)
  })

  test.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
  ])('with deeply nested %s is stored or refused with 400', async (_name, open, close) => {
    for (const depth of [100, 2_000, 8_000]) {
      const reply = await withMeta(`{"deep":${open.repeat(depth)}1${close.repeat(depth)}}`)
      expect(reply.status, `${depth} levels: ${JSON.stringify(reply.body)}`).toSatisfy((status) =>
        [200, 400].includes(status),
      )
    }
  })
})
