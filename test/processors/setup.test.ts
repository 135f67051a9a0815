import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebhookEventType as ChargebeeEventType } from 'chargebee'
import { WebhookEventTypes as MollieEventTypes } from 'mollie-api-typescript/models'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'

// Compares the owner's setup in docs/processors/ with the definitions, with the code that parses the events, and with
// the official SDKs if they list events.

const root = join(import.meta.dirname, '../..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const page = (acquiring: ProcessorName) => text(`docs/processors/${acquiring}.md`)

/** The part of a page below a heading, up to the next of its level. */
const part = (acquiring: ProcessorName, heading: string) =>
  page(acquiring).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

/** The events in the block of the page, in its order. */
const listed = (acquiring: ProcessorName) =>
  /\n```\n([\s\S]*?)\n```\n/.exec(part(acquiring, 'The webhook'))?.[1]?.split('\n') ?? []

/** What is read besides what an owner names: a page of Freemius' documents writes one of its events with one `l`. */
const OTHER_SPELLINGS = ['subscription.canceled']

describe.each(PROCESSOR_NAMES)('the page of %s', (acquiring) => {
  const { title, credentials, webhook } = DEFINITIONS[acquiring]
  const events = text(`lib/processors/${acquiring}/events.ts`)

  test('has the parts that every such page has, and is named by the page of all', () => {
    const headings = [...page(acquiring).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading)
    const expected = [
      title,
      'In the paywall file',
      'The webhook',
      'In the dashboard',
      'What it can and cannot do',
      `Never tried against the real ${title}`,
    ]
    expect(headings.filter((heading) => expected.includes(heading!))).toEqual(expected)
    expect(text('docs/processors.md')).toContain(`| \`${acquiring}\` | `)
    expect(text('docs/processors.md')).toContain(`[${title}](processors/${acquiring}.md)`)
  })

  test('names the events of the definition, each once, and README counts them', () => {
    expect(listed(acquiring).toSorted()).toEqual([...webhook.events].toSorted())
    expect(text('README.md')).toMatch(new RegExp(`\\*\\*${title}\\*\\*[^*]*\\b${webhook.events.length} events`))
  })

  test('names what is read, and nothing else', () => {
    const read = [...events.matchAll(/^ {4}case '([\w.-]+)':/gm)].map(([, type]) => type!)
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter((type) => !webhook.events.includes(type) && !OTHER_SPELLINGS.includes(type))).toEqual([])
    const isRead = (type: string) =>
      read.includes(type) || (events.includes('SUBSCRIPTION_EVENTS.includes(type)') && type.startsWith('subscription.'))
    expect(webhook.events.filter((type) => !isRead(type))).toEqual([])
  })

  test('names the credentials of the definition and no others, each with where it is', () => {
    const rows = [...part(acquiring, 'In the paywall file').matchAll(/^\| (`credentials\..*?) \| .{20,} \|$/gm)]
    const fields = rows.flatMap(([, cell]) => [...cell!.matchAll(/`credentials\.(\w+)`/g)].map(([, field]) => field))
    expect(fields).toEqual(Object.keys(credentials))
  })

  test('has the URL that receives the webhooks', () => {
    expect(text('functions/processor-webhook/contract.ts')).toContain("PATH = '/webhooks/:acquiring/:id'")
    expect(part(acquiring, 'The webhook')).toContain(`\`https://<your host>/webhooks/${acquiring}/<paywall id>\``)
    expect(text('docs/processors.md')).toContain('`https://<your host>/webhooks/<acquiring>/<paywall id>`')
  })
})

/** The quoted names of a union in a file of types: some SDKs name their events in a type alone. */
function namesIn(file: string, union: RegExp): string[] {
  const names = union.exec(text(file))?.[1]?.match(/(?<=['"])[\w.*]+(?=['"])/g) ?? []
  expect(names.length).toBeGreaterThan(30)
  return names
}

/** The types of the version of Polar's API that is used. */
function polarTypes(): string {
  const index = text('node_modules/@polar-sh/sdk/dist/2026-10/index.d.mts')
  const [, models = ''] = /"\.\.\/(models-.+)\.mjs"/.exec(index) ?? []
  return `node_modules/@polar-sh/sdk/dist/${models}.d.mts`
}

// The SDK of Freemius names some of its events only.
test.each<[ProcessorName, () => string[]]>([
  ['stripe', () => namesIn('node_modules/stripe/esm/resources/WebhookEndpoints.d.ts', /type EnabledEvent = (.*);/)],
  ['polar', () => namesIn(polarTypes(), /type WebhookEventType = (.*);/)],
  ['chargebee', () => Object.values(ChargebeeEventType)],
  ['mollie', () => Object.values(MollieEventTypes)],
])('%s lists each of the names, as its official SDK has them', (acquiring, names) => {
  const taken = names()
  expect(listed(acquiring).filter((type) => !taken.includes(type))).toEqual([])
})

test('no name of an event of Stripe has an asterisk', () => {
  const taken = namesIn('node_modules/stripe/esm/resources/WebhookEndpoints.d.ts', /type EnabledEvent = (.*);/)
  expect(taken.filter((type) => type.includes('.*'))).toEqual([])
})

test("the API version of Stripe's webhook is the one that the adapter asks by, and the SDK was made for", () => {
  const [, version] = /\| API version \| `([\w.-]+)`/.exec(part('stripe', 'The webhook')) ?? []
  expect(version).toBe(Stripe.API_VERSION)
  expect(text('lib/processors/stripe/api.ts')).toContain(`apiVersion: '${version}'`)
  expect(text('README.md')).toContain(`\`${version}\``)
})
