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

/** The section of a page below a heading. */
const section = (acquiring: ProcessorName, heading: string) =>
  page(acquiring).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

/** The events that the page lists, in order. */
const listed = (acquiring: ProcessorName) =>
  /\n```\n([\s\S]*?)\n```\n/.exec(section(acquiring, 'The webhook'))?.[1]?.split('\n') ?? []

/** Handled, but not documented: Freemius' documentation spells `subscription.cancelled` with one `l` in one place. */
const OTHER_SPELLINGS = ['subscription.canceled']

describe.each(PROCESSOR_NAMES)('the page of %s', (acquiring) => {
  const { title, credentials, webhook } = DEFINITIONS[acquiring]
  const events = text(`lib/processors/${acquiring}/events.ts`)

  test('has the sections of every processor page, and is linked from docs/processors.md', () => {
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

  test('lists the events of the definition once each, and the README has their number', () => {
    expect(listed(acquiring).toSorted()).toEqual([...webhook.events].toSorted())
    expect(text('README.md')).toMatch(new RegExp(`\\*\\*${title}\\*\\*[^*]*\\b${webhook.events.length} events`))
  })

  test('lists exactly the events that the code handles', () => {
    const read = [...events.matchAll(/^ {4}case '([\w.-]+)':/gm)].map(([, type]) => type!)
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter((type) => !webhook.events.includes(type) && !OTHER_SPELLINGS.includes(type))).toEqual([])
    const isRead = (type: string) =>
      read.includes(type) || (events.includes('SUBSCRIPTION_EVENTS.includes(type)') && type.startsWith('subscription.'))
    expect(webhook.events.filter((type) => !isRead(type))).toEqual([])
  })

  test('lists exactly the credentials of the definition, each with where to find it', () => {
    const rows = [...section(acquiring, 'In the paywall file').matchAll(/^\| (`credentials\..*?) \| .{20,} \|$/gm)]
    const fields = rows.flatMap(([, cell]) => [...cell!.matchAll(/`credentials\.(\w+)`/g)].map(([, field]) => field))
    expect(fields).toEqual(Object.keys(credentials))
  })

  test('has the URL that receives the webhooks', () => {
    expect(text('functions/processor-webhook/contract.ts')).toContain("PATH = '/webhooks/:acquiring/:id'")
    expect(section(acquiring, 'The webhook')).toContain(`\`https://<your host>/webhooks/${acquiring}/<paywall id>\``)
    expect(text('docs/processors.md')).toContain('`https://<your host>/webhooks/<acquiring>/<paywall id>`')
  })
})

/** The string literals of a union type in a file: some SDKs list their events only as a type. */
function readUnion(file: string, union: RegExp): string[] {
  const names = union.exec(text(file))?.[1]?.match(/(?<=['"])[\w.*]+(?=['"])/g) ?? []
  expect(names.length).toBeGreaterThan(30)
  return names
}

/** The file with the types of the version of Polar's API that we use. */
function polarTypes(): string {
  const index = text('node_modules/@polar-sh/sdk/dist/2026-10/index.d.mts')
  const [, models = ''] = /"\.\.\/(models-.+)\.mjs"/.exec(index) ?? []
  return `node_modules/@polar-sh/sdk/dist/${models}.d.mts`
}

// Freemius' SDK lists only some of its events.
test.each<[ProcessorName, () => string[]]>([
  ['stripe', () => readUnion('node_modules/stripe/esm/resources/WebhookEndpoints.d.ts', /type EnabledEvent = (.*);/)],
  ['polar', () => readUnion(polarTypes(), /type WebhookEventType = (.*);/)],
  ['chargebee', () => Object.values(ChargebeeEventType)],
  ['mollie', () => Object.values(MollieEventTypes)],
])('every event listed for %s exists in its official SDK', (acquiring, names) => {
  const sdkEvents = names()
  expect(listed(acquiring).filter((type) => !sdkEvents.includes(type))).toEqual([])
})

test('no Stripe event name contains an asterisk', () => {
  const sdkEvents = readUnion('node_modules/stripe/esm/resources/WebhookEndpoints.d.ts', /type EnabledEvent = (.*);/)
  expect(sdkEvents.filter((type) => type.includes('.*'))).toEqual([])
})

test("the documented API version of Stripe's webhook is that of the adapter and of the SDK", () => {
  const [, version] = /\| API version \| `([\w.-]+)`/.exec(section('stripe', 'The webhook')) ?? []
  expect(version).toBe(Stripe.API_VERSION)
  expect(text('lib/processors/stripe/api.ts')).toContain(`apiVersion: '${version}'`)
  expect(text('README.md')).toContain(`\`${version}\``)
})
