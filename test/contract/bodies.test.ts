import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail, opened, priceIdOf, startCheckout } from '../support/checkout.ts'
import { everything } from '../support/everything.ts'
import { subscribe } from '../support/subscriber.ts'
import { tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})

afterAll(() => world.close())

const path = (endpoint: string) => `/api/v1/paywall/${world.paywall.id}/${endpoint}`
const post = (endpoint: string, body: string) => call(world, path(endpoint), { key: world.key, body })

/** A start-checkout whose userMeta is the JSON text given. */
const withMeta = (json: string) =>
  post(
    'start-checkout',
    `{"email":"${newEmail()}","priceId":"${priceIdOf(world.paywall, 'monthly')}","successUrl":"https://a.example/",` +
      `"errorUrl":"https://a.example/","userMeta":${json}}`,
  )

/** Where to go, and that it does not matter what was bought before. */
const ORDER = { successUrl: 'https://a.example/', errorUrl: 'https://a.example/', ignoreActivePurchase: true }

/** The status for a request that says how long its body is, and never sends it. */
function announce(target: string, length: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(target, world.url), { method: 'POST', headers: { 'content-length': length } })
    asked.on('response', ({ statusCode }) => {
      asked.destroy()
      resolve(statusCode)
    })
    asked.on('error', reject).flushHeaders()
  })
}

describe.each(['start-checkout', 'sign-in/exchange'])('%s', (endpoint) => {
  test.each([
    ['{', 'half an object'],
    ["{'email':1}", 'other quotes'],
    ['{"a":1}}', 'something behind'],
    ['email=a@b.co', 'a form'],
    ['\u0000', 'a NUL'],
  ])('400 invalid_json: %j is %s', async (body) => {
    expect(await post(endpoint, body)).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
  })

  test('400 invalid_json: bytes that are not UTF-8, which would be kept as question marks', async () => {
    const headers = { 'x-api-key': world.key, 'content-type': 'application/json' }
    for (const body of [Buffer.from('{"email":"J\xf6rg@example.com"}', 'latin1'), Buffer.from([0x22, 0xe2, 0x82])]) {
      const response = await world.fetch(path(endpoint), { method: 'POST', headers, body })
      expect(await response.json()).toMatchObject({ error: 'invalid_json', message: 'the body is not UTF-8' })
    }
  })

  test('takes text of many bytes in whatever pieces it comes', async () => {
    const pieces = Buffer.from(JSON.stringify({ email: `${'€🂡'.repeat(40)}` })).toString('latin1')
    const stream = new ReadableStream({
      start(controller) {
        for (const byte of Buffer.from(pieces, 'latin1')) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const headers = { 'x-api-key': world.key, 'content-type': 'application/json' }
    const response = await world.fetch(path(endpoint), { method: 'POST', headers, body: stream, duplex: 'half' })
    expect(await response.json()).toMatchObject({ error: 'Invalid email format' })
  })

  test.each(['null', '[]', '"text"', '7', 'true', '[{"email":"a@b.co"}]'])(
    '400 invalid_body: %s is no object',
    async (body) => {
      expect(await post(endpoint, body)).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
    },
  )

  test('413 for more than 64 KB, whether the length is announced or not', async () => {
    const body = JSON.stringify({ email: newEmail(), note: 'x'.repeat(64 * 1024) })
    const refused = { status: 413, body: { error: 'payload_too_large' } }
    expect(await post(endpoint, body)).toMatchObject(refused)

    const stream = new Blob([body]).stream()
    const headers = { 'x-api-key': world.key, 'content-type': 'application/json' }
    const response = await world.fetch(path(endpoint), { method: 'POST', headers, body: stream, duplex: 'half' })
    expect({ status: response.status, body: await response.json() }).toMatchObject(refused)
  })

  test('takes 64 KB', async () => {
    const body = JSON.stringify({ email: 'none', note: '' })
    const filled = body.replace('""', `"${'x'.repeat(64 * 1024 - body.length)}"`)
    expect(await post(endpoint, filled)).toMatchObject({ status: 400, body: { error: 'Invalid email format' } })
  })

  test('413 comes before anything is looked up, but a credential comes first', async () => {
    const body = 'x'.repeat(70_000)
    expect(await call(world, path(endpoint), { body })).toMatchObject({ status: 401 })
  })

  test.each([
    ['NUL', '\\u0000'],
    ['a lone high surrogate', '\\ud800'],
    ['a lone low surrogate', '\\udc00x'],
    ['surrogates the wrong way round', '\\udc00\\ud800'],
  ])('400 for %s in a text: Postgres could not keep it', async (_name, escaped) => {
    const reply = await post(endpoint, `{"email":"a${escaped}@example.com","userMeta":{"note":"${escaped}"}}`)
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
  })
})

describe('userMeta', () => {
  test.each([
    ['NUL in a text', '{"a":"x\\u0000y"}'],
    ['NUL in a name', '{"a\\u0000":1}'],
    ['NUL deep inside', '{"a":[{"b":["\\u0000"]}]}'],
    ['a lone surrogate in a name', '{"\\udfff":1}'],
  ])('400 for %s', async (_name, meta) => {
    expect(await withMeta(meta)).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
  })

  test.each(['1e400', '-1e999', `1${'0'.repeat(400)}`, '[1,{"deep":1E+999}]'])(
    '400 for %.20s, which JavaScript could only hold as infinity',
    async (number) => {
      expect(await withMeta(`{"x":${number}}`)).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
      const portal = await post('get-customer-portal', `{"email":"a@b.co","userMeta":{"x":${number}}}`)
      expect(portal).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
    },
  )

  test.each([
    ['start-checkout', () => ({ ...ORDER, priceId: priceIdOf(world.paywall, 'monthly') })],
    ['get-customer-portal', () => ({})],
  ])('merges up to 64 KB by %s, and keeps nothing of what would make it more', async (endpoint, order) => {
    const { id, email } = await subscribe(world, tenant(world.file))
    await world.stripe.drainWebhooks()
    const kept = 'x'.repeat(64 * 1024 - '{"a": 1, "kept": ""}'.length)
    await world.database.query(`update members set meta = jsonb_build_object('kept', $2::text) where user_id = $1`, [
      id,
      kept,
    ])
    const merge = (userMeta: object) => post(endpoint, JSON.stringify({ email, userMeta, ...order() }))
    const before = await everything(world)
    expect(await merge({ a: 12 })).toMatchObject({ status: 400, body: { error: 'userMeta too large' } })
    expect(await everything(world)).toBe(before)
    expect(await merge({ a: 1 })).toMatchObject({ status: 200 })
    const reply = await call(world, path(`user?user_id=${id}`), { key: world.key })
    expect(reply.body).toMatchObject({ meta: { kept, a: 1 } })

    await world.database.query('update members set meta = meta || \'{"more":true}\' where user_id = $1', [id])
    expect(await merge({}), 'what is too large already is in nobody’s way').toMatchObject({ status: 200 })
    expect(await merge({ a: '' }), 'as large as before').toMatchObject({ status: 400 })
    expect(await merge({ kept: '' }), 'smaller').toMatchObject({ status: 200 })
  })

  test.each([
    ['a backslash before u0000', '{"path":"\\\\u0000"}', { path: '\\u0000' }],
    ['a whole pair', '{"smile":"\\ud83d\\ude00"}', { smile: '😀' }],
    [
      'names that objects have',
      '{"constructor":1,"toString":"x","hasOwnProperty":null}',
      { constructor: 1, toString: 'x', hasOwnProperty: null },
    ],
    ['numbers at their ends', '{"a":9007199254740991,"b":5e-324}', { a: 9007199254740991, b: 5e-324 }],
    [
      'quotes that SQL knows',
      `{"name":"Robert'); drop table users;--","$1":"$2"}`,
      { name: "Robert'); drop table users;--", $1: '$2' },
    ],
  ])('keeps %s as it is', async (_name, json, meta) => {
    const { userId } = opened(await withMeta(json))
    const reply = await call(world, path(`user?user_id=${userId}`), { key: world.key })
    expect(reply.body).toMatchObject({ meta })
  })

  test.each([
    '{"id":9007199254740993}',
    '{"ids":[{"id":-9007199254740992}]}',
    '{"big":1e300}',
    '{"__proto__":{"is_admin":true},"a":1}',
    '{"a":[{"__proto__":null}]}',
  ])('400 for %s, which could not be kept as it was sent', async (meta) => {
    const refused = { status: 400, body: { error: 'Invalid userMeta' } }
    expect(await withMeta(meta)).toMatchObject(refused)
    expect(await post('get-customer-portal', `{"email":"a@b.co","userMeta":${meta}}`)).toMatchObject(refused)
  })

  test.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
  ])('nested deeply, in %s, is refused and breaks nothing', async (_name, open, close) => {
    for (const depth of [100, 2_000, 8_000]) {
      const reply = await withMeta(`{"deep":${open.repeat(depth)}1${close.repeat(depth)}}`)
      expect(reply.status, `${depth} levels: ${JSON.stringify(reply.body)}`).toSatisfy((status) =>
        [200, 400].includes(status),
      )
    }
  })
})

describe('the query', () => {
  test.each(['email=a%00@b.co', 'user_id=%00', 'email=a@b.co&x=%00', '%00=1&email=a@b.co'])(
    '400 for NUL: %s',
    async (query) => {
      const reply = await call(world, path(`user?${query}`), { key: world.key })
      expect(reply.status, JSON.stringify(reply)).toBeGreaterThanOrEqual(400)
      expect(reply.status, JSON.stringify(reply)).toBeLessThan(500)
    },
  )

  test.each([
    ['half a surrogate pair', 'email=%ed%a0%80@b.co'],
    ['broken UTF-8', 'email=%ff@b.co'],
    ['a broken escape', 'email=%@b.co'],
    ['SQL', "email=' or 1=1 --"],
    ['a very long value', `email=${'x'.repeat(8_000)}@b.co`],
    ['members of objects', 'email[__proto__]=a@b.co&email=x&__proto__=1&constructor=2'],
  ])('%s names nobody', async (_name, query) => {
    const reply = await call(world, path(`user?${query}`), { key: world.key })
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 404, body: { error: 'identity_not_found' } })
  })
})

test('unknown members of a body are ignored', async () => {
  const body = { paywallId: '99', user_id: 'x', toString: 1, constructor: { prototype: 2 } }
  const { userId } = opened(await startCheckout(world, { paywall: world.paywall, key: world.key, body }))
  expect((await userState(world, userId)).purchases).toEqual([])
})

describe('a webhook', () => {
  const deliver = (body: string) => call(world, `/webhooks/stripe/${world.paywall.id}`, { body })

  test('of 1 MB is read; one that announces more is 413 before it is sent', async () => {
    expect(await deliver('x'.repeat(1024 * 1024))).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
    expect(await announce(`/webhooks/stripe/${world.paywall.id}`, 1024 * 1024 + 1)).toBe(413)
  })

  test.each(['', '{', '\u0000', 'null', '[]'])('%j without a signature is 400, whatever it is', async (body) => {
    expect(await deliver(body)).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
  })
})
