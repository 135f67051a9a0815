import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { EVENT_SCHEMAS } from '../../dev/tools/openapi/event-bodies.ts'
import { operations } from '../../dev/tools/openapi/operations.ts'
import document from '../../generated/openapi.json' with { type: 'json' }
import { EVENT_TYPES } from '../../lib/events/types.ts'
import { call } from '../support/call.ts'
import { undocumented, undocumentedEvent } from '../support/documented.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

describe('the document', () => {
  test('is served as it was generated, to any origin', async () => {
    const reply = await call(world, `${world.docsUrl}/openapi.json`)
    expect(reply).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } })
    expect(reply.body).toEqual(document)
  })

  test('has every operation of the contracts, and every event', () => {
    const toOpenApiPath = (path: string) => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(documented).toEqual(operations.map(({ method, path }) => `${method} ${toOpenApiPath(path)}`))
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES])
  })

  test('is in the bundle of docs only: no other Worker contains its texts', () => {
    const code = (file: string) => readFileSync(join(inject('bundles'), file), 'utf8')
    const bundles = readdirSync(inject('bundles')).map((file) => ({ file, text: code(file) }))
    for (const { id, description } of operations) {
      const holders = bundles.filter(({ text }) => text.includes(description.slice(0, 30)))
      expect(
        holders.map(({ file }) => file),
        id,
      ).toEqual(['docs.js'])
    }
  })

  test('has `acquiring` as an open enumeration in responses, so that a new processor breaks no client', () => {
    const names = ['stripe', 'polar', 'chargebee', 'freemius', 'mollie']
    const { Checkout, Purchase } = document.components.schemas
    expect([Checkout, Purchase].map(({ properties }) => properties.acquiring.enum)).toEqual([names, names])
  })

  test('has examples of bodies that the endpoints accept', () => {
    const faults = operations.flatMap(({ id, bodies = {}, query, example }) => {
      const schemas = [...Object.values(bodies), ...(query ? [query] : [])]
      return schemas.length === 0 || schemas.some((schema) => schema.safeParse(example).success) ? [] : [id]
    })
    expect(faults).toEqual([])
  })

  test.each(EVENT_TYPES)(
    'has an example of %s that could be delivered, and one schema and sentence of its own',
    (type) => {
      const { summary, description, requestBody } = document.webhooks[type].post
      const { example, schema } = requestBody.content['application/json']
      expect(summary).toBe(type)
      expect(description).toMatch(/^Arrives when .+\.$/)
      expect(EVENT_SCHEMAS[type].safeParse(example)).toMatchObject({ success: true })
      const sharing = EVENT_TYPES.filter((other) => {
        const { post } = document.webhooks[other]
        return (
          post.requestBody.content['application/json'].schema.$ref === schema.$ref || post.description === description
        )
      })
      expect(sharing).toEqual([type])
      const headers = { 'webhook-id': example.id, 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' }
      expect(example.type).toBe(type)
      expect(undocumentedEvent({ headers, body: JSON.stringify(example) })).toBeNull()
      expect(
        undocumentedEvent({ headers, body: JSON.stringify({ ...example, is: 1 }) }),
        'a field too many',
      ).not.toBeNull()
    },
  )

  test("shows a user's state for an owner key, as in the example request: without `user`", () => {
    const { parameters, responses } = document.paths['/api/v1/paywall/{id}/user'].get
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'email', example: 'ada@example.com' }))
    expect(responses[200].content['application/json'].example).not.toHaveProperty('user')
  })

  test('says that an owner must have verified the e-mail address of a user whom it signs in', () => {
    const exchange = document.paths['/api/v1/paywall/{id}/sign-in/exchange']
    expect(JSON.stringify(exchange.post.description)).toMatch(/must be an address that you have verified/)
    expect(JSON.stringify(document.components.schemas.ExchangeTokens)).toMatch(/must have verified that it is theirs/)
  })

  test('has the headers that every SDK sends, in each operation that clients call', () => {
    const sent = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId, parameters }) => ({
        operationId,
        names: JSON.stringify(parameters).match(/NamedPaywall|SdkVersion/g),
      })),
    )
    const without = sent.filter(({ names }) => names?.length !== 2).map(({ operationId }) => operationId)
    expect(without).toEqual(['checkoutReturn', 'signedReturn', 'processorWebhook'])
  })

  test('has examples of responses that the endpoints send', () => {
    const faults = operations.flatMap(({ id, reply: { body } }) =>
      !body || body.schema.safeParse(body.example).success ? [] : [id],
    )
    expect(faults).toEqual([])
  })
})

describe('the check of responses against the document', () => {
  const url = '/api/v1/paywall/1001/balances'
  const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': crypto.randomUUID() })
  const check = (status: number, body: unknown, more = {}) =>
    undocumented({ method: 'POST', url, status, headers, text: JSON.stringify(body), ...more })
  const valid = { success: true, user_id: crypto.randomUUID(), type: 'standard', count: 1, balances: [] }

  test('accepts documented responses', () => {
    expect(check(200, valid)).toBeNull()
    expect(check(400, { error: 'insufficient', message: 'x', code: 'insufficient', available: 0 })).toBeNull()
    expect(check(404, { error: 'not_found', message: 'x' }, { url: '/nowhere' })).toBeNull()
    expect(check(404, { error: 'not_found', message: 'x' }, { url: url.replace('1001', '%31001') })).toBeNull()
    expect(undocumented({ method: 'HEAD', url: '/nowhere', status: 404, headers, text: '' })).toBeNull()
    const other = { method: 'GET', url: `/r/${crypto.randomUUID()}/other`, status: 404, headers }
    expect(undocumented({ ...other, text: '{"error":"not_found","message":"x"}' })).toBeNull()
    expect(undocumented({ ...other, text: '{"error":"paywall_not_found","message":"x"}' })).not.toBeNull()
  })

  test.each([
    ['an undocumented status', 418, valid],
    ['not_found at a path that exists', 404, { error: 'not_found' }],
    ['an undocumented error', 400, { error: 'oops', code: 'oops' }],
    ["another error's field", 400, { error: 'invalid_op', code: 'invalid_op', available: 1 }],
    ['an extra field', 200, { ...valid, extra: 1 }],
    ['a missing field', 400, { error: 'insufficient', code: 'insufficient' }],
    ['a wrong type', 200, { ...valid, count: '1' }],
    ['an extra nested field', 200, { ...valid, balances: [{ type: 'standard', count: 1, extra: 1 }] }],
  ])('rejects %s', (_what, status, body) => {
    expect(check(status, body)).not.toBeNull()
  })

  test('rejects a missing header', () => {
    expect(check(200, valid, { headers: new Headers({ 'content-type': 'application/json' }) })).toContain(
      'X-Request-Id',
    )
  })

  test('rejects an undocumented event', () => {
    expect(undocumentedEvent({ headers: {}, body: '{"type":"subscription.paused"}' })).toContain('subscription.paused')
  })
})
