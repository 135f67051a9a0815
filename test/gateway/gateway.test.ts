import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../dev/tools/openapi/operations.ts'
import { toRequest } from '../operations/request.ts'
import { call } from '../support/call.ts'
import { signIn } from '../support/exchange.ts'
import { expectDocumented } from '../support/expect-documented.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let token: string

beforeAll(async () => {
  token = (await signIn(world)).token
})

const METHODS = { get: ['GET', 'HEAD'], post: ['POST'] }

/** Every path with its methods. The docs have their own origin: test/security/docs-origin.test.ts. */
const ENDPOINTS = [...Map.groupBy(operations, ({ path }) => path)].map(
  ([path, each]): [string, () => string, string] => [
    path,
    () => toRequest(each[0]!.id, { paywallId: world.paywall.id }).path,
    each.flatMap(({ method }) => METHODS[method]).join(', '),
  ],
)

/** A request whose path is sent unchanged: a URL would be normalised. */
async function rawPath(path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(world.url)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ hostname, port, path }, resolve).on('error', reject).end()
  })
  const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
  const answer = new Response(await text(response), { status: response.statusCode ?? 0, headers })
  return { status: answer.status, body: await (await expectDocumented({ url: path }, answer)).text() }
}

describe.each(ENDPOINTS)('%s', (_name, path, allow) => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    '405 with Allow for %s, unless it is allowed',
    async (method) => {
      const reply = await call(world, path(), { method, key: world.key })
      if (allow.includes(method)) expect(reply.status).not.toBe(405)
      else expect(reply).toMatchObject({ status: 405, headers: { allow }, body: { error: 'method_not_allowed' } })
    },
  )

  test('answers a preflight from any origin, and does not let browsers send an owner key', async () => {
    const headers = {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key',
    }
    const reply = await call(world, path(), { method: 'OPTIONS', headers })
    expect(reply).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': '*' } })
    expect(reply.headers['access-control-allow-headers']?.toLowerCase().split(', ').toSorted()).toEqual([
      'authorization',
      'content-type',
      'idempotency-key',
      'if-none-match',
      'x-client-ip',
      'x-paywall-id',
      'x-sdk-version',
    ])
    expect(reply.headers['access-control-max-age']).toBe('7200')
    expect(reply.headers['access-control-allow-methods']).toBe('GET, HEAD, POST, OPTIONS')
  })

  test('is readable from any origin, with its request id and its headers, without credentials', async () => {
    const { headers } = await call(world, path(), { headers: { origin: 'https://shop.example' } })
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Idempotency-Replayed, Retry-After, X-Request-Id',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })
})

describe('HEAD', () => {
  test.each([
    ['bootstrap', '', () => ({})],
    ['user', '', () => ({ token })],
  ])('%s: the headers of GET without its body', async (endpoint, query, options) => {
    const path = `/api/v1/paywall/${world.paywall.id}/${endpoint}${query}`
    const [get, head] = [await call(world, path, options()), await call(world, path, { method: 'HEAD', ...options() })]
    expect(head).toMatchObject({ status: 200, body: '' })
    for (const name of ['content-type', 'cache-control', 'etag']) expect(head.headers[name]).toBe(get.headers[name])
  })

  test('of an unknown paywall is 404, too', async () => {
    expect(await call(world, '/api/v1/paywall/99/bootstrap', { method: 'HEAD' })).toMatchObject({ status: 404 })
  })
})

describe('paths', () => {
  const notFound = { status: 404, body: { error: 'not_found' } }

  test.each([
    '/api',
    '/api/v2/paywall/1/bootstrap',
    '/api/v1/paywall/bootstrap',
    '/api/v1/paywall/1/bootstrap/',
    '/api/v1/paywall/1/bootstrap/x',
    '/api/v1/paywall/1/Bootstrap',
    '/API/v1/paywall/1/bootstrap',
    '/api/v1/paywall/1/sign-in',
    '/r/1',
    '/r/1/failure',
    '/webhooks/stripe',
  ])('%s does not exist: a 404 in JSON, readable from any origin', async (path) => {
    const reply = await call(world, path)
    expect(reply).toMatchObject(notFound)
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*', 'content-type': 'application/json' })
    expect(reply.headers).toHaveProperty('x-request-id')
  })

  test.each([
    ['an empty segment', (id: string) => `//api/v1/paywall/${id}/bootstrap`],
    ['an empty segment inside', (id: string) => `/api/v1/paywall//${id}/bootstrap`],
    ['an escaped slash', (id: string) => `/api/v1/paywall/${id}%2fbootstrap`],
    ['an escaped letter', (id: string) => `/api/v1/paywall/${id}/%62ootstrap`],
    ['an escaped id', (id: string) => `/api/v1/paywall/%3${id[0]}${id.slice(1)}/bootstrap`],
    ['escaped dots', (id: string) => `/api/v1/paywall/1/%2e%2e/${id}/bootstrap/%2e`],
    ['an escaped NUL', (id: string) => `/api/v1/paywall/${id}%00/bootstrap`],
    ['a broken escape', (id: string) => `/api/v1/paywall/${id}%/bootstrap`],
    ['a semicolon', (id: string) => `/api/v1/paywall/${id}/bootstrap;x=1`],
  ])('%s is refused', async (_name, path) => {
    expect(await rawPath(path(world.paywall.id))).toMatchObject({ status: 404 })
  })

  test('an id that is merely similar does not match', async () => {
    for (const id of [
      `0${world.paywall.id}`,
      `${world.paywall.id}.0`,
      `+${world.paywall.id}`,
      `${world.paywall.id}'--`,
    ]) {
      const reply = await call(world, `/api/v1/paywall/${id}/bootstrap`)
      expect(reply, id).toMatchObject({ status: 404, body: { error: expect.stringMatching(/not_found$/) } })
    }
  })
})

test('X-Request-Id is ours, whatever the caller sends, and it is in the log', async () => {
  const { headers } = await call(world, '/api/v1/paywall/99/bootstrap', { headers: { 'x-request-id': 'mine' } })
  const id = headers['x-request-id']
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  const line = world.logs.map(({ message }) => message).find((message) => message.includes(id ?? ''))
  expect(JSON.parse(line ?? 'null')).toMatchObject({ level: 'info', request_id: id, method: 'GET', status: 404 })
  expect(world.logs.some(({ message }) => message.includes('"mine"'))).toBe(false)
})
