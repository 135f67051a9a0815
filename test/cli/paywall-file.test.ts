import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { paywallFileJsonSchema } from '../../cli/paywall-file/schema.ts'
import { demoThrough } from '../../dev/world/demo.ts'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { type Changes, environment, paywallFile, readErrors, sampleFileText } from '../support/sample-paywall-file.ts'

const price = 'paywalls[0].prices[0]'
const local = `${price}.locals[0]`

describe('a valid file', () => {
  test('is read with its defaults filled in, secrets in plain text and amounts in minor units', async () => {
    const file = await paywallFile()
    expect(file.keys).toEqual([{ name: 'backend', is_test: true, secret: environment.API_KEY }])
    expect(file.webhooks).toEqual([
      { url: 'https://owner.example/webhooks', is_test: true, secret: environment.WEBHOOK_SECRET, events: ['*'] },
    ])
    expect(file.paywalls[0]).toMatchObject({
      is_test: true,
      geo: { countries: [] },
      offers: [],
      layout: { type: 'stack', blocks: [] },
      locales: {},
      processor: { acquiring: 'stripe', credentials: { secretKey: 'sk_test_123', webhookSecret: 'whsec_stripe' } },
    })
    expect(file.paywalls[0]?.prices).toMatchObject([
      {
        amount: 999,
        interval: 'month',
        interval_count: 1,
        trial_days: 7,
        locals: [{ amount: 39900 }, { amount: 2500 }],
      },
      { amount: 30000, interval: null, interval_count: null, trial_days: 0, locals: [], tokens: [] },
    ])
  })

  test.each<[string, Changes]>([
    ['a byte order mark', {}],
    ['$schema', { $schema: '../paywall.schema.json' }],
    ['an e-mail address with spaces and capitals', { 'owner.email': ' Owner@Example.COM ' }],
    ['no keys and no webhooks', { keys: undefined, webhooks: undefined }],
    ['keys without a secret', { keys: [{ name: 'a' }, { name: 'b', mode: 'live' }] }],
    ['literal secrets on a test paywall', { 'keys[0].secret': environment.API_KEY, [`${price}.slug`]: 'x' }],
    ['a loopback webhook if its paywalls are in test mode', { 'webhooks[0].url': 'http://127.0.0.1:8790/webhooks' }],
    ['balance.changed by name', { 'webhooks[0].events': ['*', 'balance.changed'] }],
    ['the default tiers', { 'paywalls[0].geo': undefined }],
    ['a free price', { [`${price}.amount`]: 0 }],
    ['the longest trial', { [`${price}.trial_days`]: 730 }],
    ['an interval of null', { [`${price}.interval`]: null, [`${price}.trial_days`]: null, [`${price}.access`]: true }],
    [
      'field names that are properties of every JavaScript object',
      { 'paywalls[0].settings.constructor': 1, 'paywalls[0].locales': { toString: {} } },
    ],
    [
      'a live paywall with its secrets in the environment',
      {
        'paywalls[0].test': false,
        'paywalls[0].processor.credentials.secretKey': 'env:STRIPE_LIVE_KEY',
        'keys[0].secret': 'env:LIVE_API_KEY',
      },
    ],
  ])('may have %s', async (_what, changes) => {
    expect(await readErrors(`\uFEFF${sampleFileText(changes)}`)).toEqual([])
  })

  test.each(PROCESSOR_NAMES)('is the demo sold through %s, with the secrets of a local world', async (acquiring) => {
    const { file } = demoThrough(acquiring)
    expect(await readErrors(JSON.stringify(file), { ...(await makeSecrets()) })).toEqual([])
  })

  test('is demo/paywall.json, which demoThrough leaves unchanged for its own processor', () => {
    const written = JSON.parse(readFileSync('demo/paywall.json', 'utf8'))
    expect(demoThrough(written.paywalls[0].processor.acquiring)).toEqual({ file: written, differences: [] })
  })

  // plan refuses a name that only some locales translate. A locale that translates every string therefore makes plan report each
  // buyer-visible name that en and de lack.
  test('is the demo with a locale that has every text, so its own lack none', async () => {
    const strings: Record<string, string> = {}
    const file = JSON.parse(readFileSync('demo/paywall.json', 'utf8'), (_, value) => {
      if (typeof value === 'string') strings[value] = value
      return value
    })
    const { locales } = file.paywalls[0]
    const { en, de } = locales
    locales.fr = strings
    expect(await readErrors(JSON.stringify(file), { ...(await makeSecrets()) })).toEqual([])
    expect(Object.keys(de).filter((name) => de[name] === en[name])).toEqual(['quote_author'])
  })
})

describe('price ids', () => {
  const idsWith = async (changes: Changes) => (await paywallFile(changes)).paywalls[0]?.prices.map(({ id }) => id)

  test('do not change with the label, the tokens, the features, or the order of countries', async () => {
    const written = await idsWith({ [`${local}.countries`]: ['IN', 'NP'] })
    expect(written?.[0]).toMatch(/^price_[0-9a-f]{24}$/)
    const changes = { [`${local}.countries`]: ['NP', 'IN'], [`${price}.label`]: 'Each month', [`${price}.tokens`]: [] }
    expect(await idsWith({ ...changes, [`${price}.features`]: ['export'] })).toEqual(written)
  })

  test.each<[string, unknown]>([
    [`${price}.amount`, 9.98],
    [`${price}.currency`, 'EUR'],
    [`${price}.interval`, 'year'],
    [`${price}.interval_count`, 2],
    [`${price}.trial_days`, 8],
    [`${price}.processorPrice`, 'price_other'],
    [`${price}.slug`, 'each-month'],
    [`${local}.amount`, 400],
    [`${local}.processorPrice`, 'price_other'],
    ['paywalls[0].id', '1002'],
  ])('change with %s', async (path, value) => {
    expect((await idsWith({ [path]: value }))?.[0]).not.toBe((await idsWith({}))?.[0])
  })
})

describe('the published JSON Schema', () => {
  const published = readFileSync('paywall.schema.json', 'utf8')

  test('is current: npm run -s paywall -- schema > paywall.schema.json', () => {
    expect(published).toBe(paywallFileJsonSchema())
  })

  test('accepts the demo, and rejects misspelt or missing fields', () => {
    const schema = z.fromJSONSchema(JSON.parse(published))
    const accepts = (text: string) => schema.safeParse(JSON.parse(text)).success
    expect(accepts(readFileSync('demo/paywall.json', 'utf8'))).toBe(true)
    expect(accepts(sampleFileText({ [`${price}.trial_day`]: 7 }))).toBe(false)
    expect(accepts(sampleFileText({ [`${price}.amount`]: undefined }))).toBe(false)
    const blocks = (type: string) => sampleFileText({ 'paywalls[0].layout': { type: 'stack', blocks: [{ type }] } })
    expect(['prices', 'x-yours', 'price'].map((type) => accepts(blocks(type)))).toEqual([true, true, false])
  })
})
