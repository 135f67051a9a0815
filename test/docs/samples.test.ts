import { stripTypeScriptTypes } from 'node:module'
import { Paywall, type PaywallOptions } from 'paywall-billing-sdk'
import { createPaywall } from 'paywall-billing-sdk/browser'
import { expect, test } from 'vitest'
import * as z from 'zod'
import json from '../../generated/openapi.json' with { type: 'json' }
import { typeErrors } from '../support/modules.ts'

const Sample = z.object({ lang: z.string(), label: z.string(), source: z.string() })
const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(z.object({ name: z.string().optional(), example: z.unknown().optional() })),
  requestBody: z
    .object({ content: z.object({ 'application/json': z.object({ example: z.unknown().optional() }) }) })
    .optional(),
  'x-codeSamples': z.array(Sample).default([]),
})
const { paths } = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) }).parse(json)

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, { operationId: id, security, parameters, requestBody, 'x-codeSamples': samples }]) => ({
      id,
      credentials: security.flatMap((each) => Object.keys(each)),
      /** The method and the path, with the ids of the examples. */
      address: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, (_, name) => (name === 'id' ? '1001' : `${parameters.find((each) => each.name === name)?.example}`))}`,
      body: requestBody?.content['application/json'].example,
      samples: new Map(samples.map(({ label, source }) => [label, source])),
    }),
  ),
)

/** Called by processors, and by browsers that they redirect. */
const NOT_CALLED_BY_CLIENTS = ['checkoutReturn', 'signedReturn', 'processorWebhook']

test('every operation that clients call has a sample for curl', () => {
  const without = operations.filter(({ samples }) => !samples.has('curl')).map(({ id }) => id)
  expect(without).toEqual(NOT_CALLED_BY_CLIENTS)
})

test('every operation that clients call has an SDK sample', () => {
  const isOfSdk = (label: string) => label.startsWith('SDK')
  const without = operations.filter(({ samples }) => ![...samples.keys()].some(isOfSdk)).map(({ id }) => id)
  expect(without).toEqual(NOT_CALLED_BY_CLIENTS)
})

test('every operation has an SDK sample for each kind of caller: server or browser', () => {
  const without = (label: string, isCallable: (operation: (typeof operations)[number]) => boolean) =>
    operations.filter((each) => isCallable(each) && !each.samples.has(label)).map(({ id }) => id)
  expect(without('SDK, server', ({ credentials }) => credentials.includes('OwnerKey'))).toEqual([])
  expect(without('SDK, browser', ({ credentials }) => credentials.includes('UserToken'))).toEqual([])
})

test('the SDK samples compile with its types', async () => {
  const programs = operations.flatMap(({ id, samples }) =>
    [...samples].flatMap(([label, source], index) =>
      label === 'curl' ? [] : [[`${id}-${index}.ts`, source] as const],
    ),
  )
  expect(programs.length).toBeGreaterThan(8)
  expect(await typeErrors(Object.fromEntries(programs))).toBe('')
})

const AsyncFunction: new (name: string, code: string) => (given: unknown) => Promise<void> = Object.getPrototypeOf(
  async () => {},
).constructor

/** Runs a sample with its only import, called `name`, replaced by `replacement`. */
function run(source: string, name: string, replacement: unknown): Promise<void> {
  const program = source.slice(source.indexOf('\n') + 1)
  return new AsyncFunction(name, stripTypeScriptTypes(program))(replacement)
}

/** A `fetch` that records each call. */
function recordingFetch() {
  const called: { address: string; body: unknown }[] = []
  const fetch = async (request: string | URL | Request) => {
    const { method, url, body, headers } = request as Request
    const isJson = headers.get('content-type') === 'application/json'
    const sent = body && isJson ? await (request as Request).json() : undefined
    called.push({ address: `${method} ${new URL(url).pathname}`, body: sent })
    const state = {
      id: '1001',
      events: [],
      prices: [],
      balances: [],
      purchases: [],
      features: [],
      subscription: { id: 's' },
    }
    return Response.json({ ...state, access_token: 'a', refresh_token: 'r', expires_in: 3600, challenge: 'q' })
  }
  return { called, fetch }
}

/** An in-memory storage with the interface of `localStorage`. */
function memoryStorage() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

/** The samples with a label, and their operations. */
function programsFor(label: string) {
  return operations.flatMap(({ samples, ...operation }) => {
    const source = samples.get(label)
    return source === undefined ? [] : [{ ...operation, source }]
  })
}

test.each(programsFor('SDK, server'))(
  '$id: the server sample sends the example request of the operation',
  async (each) => {
    const { called, fetch } = recordingFetch()
    const Client = class extends Paywall {
      constructor(options: PaywallOptions) {
        super({ ...options, fetch })
      }
    }
    await run(each.source, 'Paywall', Client)
    expect(called).toEqual([{ address: each.address, body: each.body }])
  },
)

test.each(programsFor('SDK, browser'))('$id: the browser sample calls the operation', async ({ address, source }) => {
  const { called, fetch } = recordingFetch()
  const options = { fetch, storage: memoryStorage() }
  const before = await createPaywall('https://pay.example.com', options)
  await before.signIn('ada@example.com')
  await before.confirm('654321')
  await before.signIn('ada@example.com')
  called.splice(0)
  await run(source, 'createPaywall', (origin: string) => createPaywall(origin, options))
  expect(called.map((each) => each.address)).toContain(address)
})
