import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { operations } from '../../dev/tools/openapi/operations.ts'
import { toRequest } from '../operations/request.ts'
import { call } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const path = (endpoint: string) => `/api/v1/paywall/${world.paywall.id}/${endpoint}`
const post = (endpoint: string, body: string) => call(world, path(endpoint), { key: world.key, body })

/** The status for a request that announces the length of its body, and never sends it. */
function announce(target: string, length: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(target, world.url), { method: 'POST', headers: { 'content-length': length } })
    outgoing.on('response', ({ statusCode }) => {
      outgoing.destroy()
      resolve(statusCode)
    })
    outgoing.on('error', reject).flushHeaders()
  })
}

/** Sends bytes with an owner key, a stream chunk by chunk. */
function sendBytes(target: string, body: Buffer | ReadableStream) {
  const headers = { 'x-api-key': world.key, 'content-type': 'application/json' }
  return world.fetch(target, { method: 'POST', headers, body, duplex: 'half' })
}

/** Every operation that accepts a JSON body. Endpoints that do not read an owner key ignore it. */
const JSON_OPERATIONS = operations.filter(({ bodies }) => bodies)

describe.each(JSON_OPERATIONS)('$id', ({ id }) => {
  const target = () => toRequest(id, { paywallId: world.paywall.id }).path
  const send = (body: string) => call(world, target(), { key: world.key, body })
  const sendRaw = (body: Buffer | ReadableStream) => sendBytes(target(), body)

  test.each([
    ['{', 'half an object'],
    ["{'email':1}", 'single quotes'],
    ['{"a":1}}', 'trailing text'],
    ['email=a@b.co', 'a form'],
    ['\u0000', 'a NUL'],
  ])('400 invalid_json: %j is %s', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
  })

  test('400 invalid_json: bytes that are not UTF-8, which would be stored as replacement characters', async () => {
    for (const body of [Buffer.from('{"email":"J\xf6rg@example.com"}', 'latin1'), Buffer.from([0x22, 0xe2, 0x82])]) {
      const response = await sendRaw(body)
      expect(await response.json()).toMatchObject({ error: 'invalid_json', message: 'The body is not UTF-8' })
    }
  })

  test('413 for more than 64 KB, whether the length is announced or not', async () => {
    const body = JSON.stringify({ email: newEmail(), note: 'x'.repeat(64 * 1024) })
    const refused = { status: 413, body: { error: 'payload_too_large' } }
    expect(await send(body)).toMatchObject(refused)

    const stream = new Blob([body]).stream()
    const response = await sendRaw(stream)
    expect({ status: response.status, body: await response.json() }).toMatchObject(refused)
  })

  test.each([
    ['NUL', '\\u0000'],
    ['a lone high surrogate', '\\ud800'],
    ['a lone low surrogate', '\\udc00x'],
    ['surrogates the wrong way round', '\\udc00\\ud800'],
  ])('400 for %s in a text: Postgres could not store it', async (_name, escaped) => {
    const reply = await send(`{"email":"a${escaped}@example.com","userMeta":{"note":"${escaped}"}}`)
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_json' } })
  })
})

describe.each(['start-checkout', 'sign-in/exchange'])('%s', (endpoint) => {
  test('accepts multi-byte text in chunks of any size', async () => {
    const encoded = Buffer.from(JSON.stringify({ email: `${'€🂡'.repeat(40)}` })).toString('latin1')
    const stream = new ReadableStream({
      start(controller) {
        for (const byte of Buffer.from(encoded, 'latin1')) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const response = await sendBytes(path(endpoint), stream)
    expect(await response.json()).toMatchObject({ error: 'Invalid email format' })
  })

  test.each(['null', '[]', '"text"', '7', 'true', '[{"email":"a@b.co"}]'])(
    '400 invalid_body: %s is not an object',
    async (body) => {
      expect(await post(endpoint, body)).toMatchObject({ status: 400, body: { error: 'invalid_body' } })
    },
  )

  test('accepts 64 KB', async () => {
    const body = JSON.stringify({ email: 'none', note: '' })
    const filled = body.replace('""', `"${'x'.repeat(64 * 1024 - body.length)}"`)
    expect(await post(endpoint, filled)).toMatchObject({ status: 400, body: { error: 'Invalid email format' } })
  })

  test('401 for a missing credential comes before 413', async () => {
    const body = 'x'.repeat(70_000)
    expect(await call(world, path(endpoint), { body })).toMatchObject({ status: 401 })
  })
})

describe('the query', () => {
  test.each(['email=a%00@b.co', 'user_id=%00', 'email=a@b.co&x=%00', 'external_id=%00'])(
    '400 invalid_query for NUL: %s',
    async (query) => {
      const reply = await call(world, path(`user?${query}`), { key: world.key })
      expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_query' } })
    },
  )

  test('a parameter whose name contains NUL is ignored like any other unknown one', async () => {
    const reply = await call(world, path('user?%00=1&email=a@b.co'), { key: world.key })
    expect(reply).toMatchObject({ status: 404, body: { error: 'identity_not_found' } })
  })

  test.each([
    ['half a surrogate pair', 'email=%ed%a0%80@b.co'],
    ['broken UTF-8', 'email=%ff@b.co'],
    ['a broken escape', 'email=%@b.co'],
    ['SQL', "email=' or 1=1 --"],
    ['a very long value', `email=${'x'.repeat(8_000)}@b.co`],
    ['fields of objects', 'email[__proto__]=a@b.co&email=x&__proto__=1&constructor=2'],
  ])('%s identifies nobody', async (_name, query) => {
    const reply = await call(world, path(`user?${query}`), { key: world.key })
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 404, body: { error: 'identity_not_found' } })
  })
})

describe('a truncated body', () => {
  const announced = { 'content-length': '500' }
  const chunked = { 'transfer-encoding': 'chunked' }
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'multipart/form-data; boundary=b' }
  const inChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const half = '{"email":"a@b.co","op'
  const halfForm = '--b\r\nContent-Disposition: form-data; name="subject"\r\n\r\nIt does'

  test.each([
    ['with a Content-Length', 'balances', { ...json, ...announced }, half, 'invalid_json'],
    ['in chunks without the last one', 'balances', { ...json, ...chunked }, inChunk(half), 'invalid_json'],
    ['of a webhook', 'webhook', { ...json, ...announced }, half, 'invalid_json'],
    ['of a form', 'support/ticket', { ...form, ...announced }, halfForm, 'invalid_form'],
    ['of a form in chunks', 'support/ticket', { ...form, ...chunked }, inChunk(halfForm), 'invalid_form'],
  ])('%s is 400, and not an internal error', async (_what, endpoint, headers, body, refusal) => {
    const target = endpoint === 'webhook' ? `/webhooks/stripe/${world.paywall.id}` : path(endpoint)
    const before = world.logs.length
    await sendTruncated(target, headers, body)
    const line = await until('the line of the request', async () =>
      world.logs.slice(before).find(({ message }) => JSON.parse(message).message === 'request'),
    )
    expect(JSON.parse(line.message)).toMatchObject({ status: 400, refusal })
    expect(world.logs.slice(before).filter(({ level }) => level === 'error')).toEqual([])
  })
})

/** Sends the beginning of a request with an owner key, and disconnects. */
function sendTruncated(target: string, headers: Record<string, string>, body: string): Promise<void> {
  const { hostname, port, host } = new URL(world.url)
  const lines = Object.entries({ host, 'x-api-key': world.key, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.end([`POST ${target} HTTP/1.1`, ...lines, '', body].join('\r\n'))
    })
    socket
      .on('close', () => resolve())
      .on('error', reject)
      .resume()
  })
}

test('unknown fields of a body are ignored', async () => {
  const body = { paywallId: '99', user_id: 'x', toString: 1, constructor: { prototype: 2 } }
  const { userId } = parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key, body }))
  expect((await userState(world, userId)).purchases).toEqual([])
})

describe('a webhook', () => {
  const deliver = (body: string) => call(world, `/webhooks/stripe/${world.paywall.id}`, { body })

  test('of 1 MB is read, and one that announces more gets 413 before it is sent', async () => {
    expect(await deliver('x'.repeat(1024 * 1024))).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
    expect(await announce(`/webhooks/stripe/${world.paywall.id}`, 1024 * 1024 + 1)).toBe(413)
  })

  test.each(['', '{', '\u0000', 'null', '[]'])('%j without a signature gets 400', async (body) => {
    expect(await deliver(body)).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
  })
})
