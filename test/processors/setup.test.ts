import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebhookEventTypes } from 'mollie-api-typescript/models'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'

// What docs/processors.md tells an owner to set up, held to the code that reads it and to the official SDKs.

const root = join(import.meta.dirname, '../..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')

/** The part of the page below a heading, up to the next. */
const part = (heading: string) => text('docs/processors.md').split(`### ${heading}\n`)[1]?.split('\n##')[0] ?? ''

/** The names in the block of a part, in its order. */
const listed = (heading: string) => /```\n([\s\S]*?)\n```/.exec(part(heading))?.[1]?.split('\n') ?? []

/** The types that an adapter's inbound code has a case for. */
const read = (adapter: string) =>
  [...text(`lib/processors/${adapter}/events.ts`).matchAll(/^ {4}case '([\w.-]+)':/gm)].map(([, type]) => type!)

/** Every type that Stripe's API takes for a webhook endpoint: in the SDK they are types alone. */
const stripeTypes = /type EnabledEvent = (.*);/.exec(
  text('node_modules/stripe/esm/resources/WebhookEndpoints.d.ts'),
)?.[1]

describe.each([
  ['At Stripe', 'stripe', 14],
  ['At Mollie', 'mollie', 9],
])('%s', (heading, adapter, count) => {
  test('the events to be named are those that are read, each once', () => {
    expect(listed(heading)).toHaveLength(count)
    expect(listed(heading).toSorted()).toEqual(read(adapter).toSorted())
    expect(text('README.md')).toContain(`${count} events`)
  })

  test('the address of its webhook is the one that takes them', () => {
    expect(text('functions/processor-webhook/contract.ts')).toContain("PATH = '/webhooks/:acquiring/:id'")
    expect(text('docs/processors.md')).toContain('`https://<your host>/webhooks/<acquiring>/<paywall id>`')
  })
})

test('Stripe takes each of the names, and no name with an asterisk', () => {
  const taken = stripeTypes?.split(' | ').map((quoted) => quoted.slice(1, -1)) ?? []
  expect(taken.length).toBeGreaterThan(100)
  expect(listed('At Stripe').filter((type) => !taken.includes(type))).toEqual([])
  expect(taken.filter((type) => type.includes('.*'))).toEqual([])
})

test("Mollie's next-gen webhooks take each of the names", () => {
  const taken: string[] = Object.values(WebhookEventTypes)
  expect(listed('At Mollie').filter((type) => !taken.includes(type))).toEqual([])
})

test('the API version to choose is the one that the adapter asks by, and the SDK was made for', () => {
  const [, version] = /\| API version \| `([\w.-]+)`/.exec(part('At Stripe')) ?? []
  expect(version).toBe(Stripe.API_VERSION)
  expect(text('lib/processors/stripe/adapter.ts')).toContain(`apiVersion: '${version}'`)
  expect(text('README.md')).toContain(`\`${version}\``)
})
