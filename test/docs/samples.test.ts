import { Paywall } from 'paywall-billing-sdk'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import json from '../../generated/openapi.json' with { type: 'json' }
import { typeErrors } from '../support/modules.ts'

const Sample = z.object({ lang: z.string(), label: z.string(), source: z.string() })
const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  requestBody: z
    .object({ content: z.object({ 'application/json': z.object({ example: z.unknown().optional() }) }) })
    .optional(),
  'x-codeSamples': z.array(Sample).default([]),
})
const { paths } = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) }).parse(json)

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId: id, security, requestBody, 'x-codeSamples': samples }]) => ({
    id,
    isOfOwners: security.some(({ OwnerKey }) => OwnerKey !== undefined),
    /** The method and the path, with the paywall of all examples. */
    address: `${method.toUpperCase()} ${path.replace('{id}', '1001')}`,
    body: requestBody?.content['application/json'].example,
    samples: new Map(samples.map(({ label, source }) => [label, source])),
  })),
)

/** What processors call, and browsers that they send. */
const NOT_OF_CLIENTS = ['checkoutReturn', 'signedReturn', 'processorWebhook']

test('every operation that clients call has one for curl', () => {
  const without = operations.filter(({ samples }) => !samples.has('curl')).map(({ id }) => id)
  expect(without).toEqual(NOT_OF_CLIENTS)
})

test('every operation that an owner key may call has one for a server', () => {
  const without = operations.filter(({ isOfOwners, samples }) => isOfOwners && !samples.has('SDK, server'))
  expect(without.map(({ id }) => id)).toEqual([])
})

test('those for the SDK are as its types say', async () => {
  const programs = operations.flatMap(({ id, samples }) =>
    [...samples].flatMap(([label, source], index) =>
      label === 'curl' ? [] : [[`${id}-${index}.ts`, source] as const],
    ),
  )
  expect(programs.length).toBeGreaterThan(8)
  expect(await typeErrors(Object.fromEntries(programs))).toBe('')
})

describe('for an owner’s server', () => {
  const AsyncFunction: new (name: string, code: string) => (client: Paywall) => Promise<void> = Object.getPrototypeOf(
    async () => {},
  ).constructor

  const ofServers = operations.flatMap(({ samples, ...operation }) => {
    const source = samples.get('SDK, server')
    return source === undefined ? [] : [{ ...operation, source }]
  })

  test.each(ofServers)('$id: sends what the example of the operation is', async ({ address, body, source }) => {
    let sent: Request | undefined
    const paywall = new Paywall({
      key: 'pk_test_1',
      paywall: '1001',
      baseUrl: 'https://service.example',
      fetch: async (request) => {
        sent = request as Request
        return Response.json({ prices: [], balances: [], purchases: [] })
      },
    })
    const program = source.slice(source.indexOf('})\n') + 3)
    await new AsyncFunction('paywall', program)(paywall)
    expect(`${sent?.method} ${new URL(sent?.url ?? '').pathname}`).toBe(address)
    expect(body === undefined ? undefined : await sent?.json()).toEqual(body)
  })
})
