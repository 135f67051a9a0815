import { describe, expect, test } from 'vitest'
import { type Changes, environment, readErrors, sampleFileText } from '../support/sample-paywall-file.ts'

const price = 'paywalls[0].prices[0]'
const local = `${price}.locals[0]`
const paywall = JSON.parse(sampleFileText()).paywalls[0]

describe('an invalid file', () => {
  test.each<[path: string, value: unknown, message: string | null]>([
    ['own', 1, 'unknown field'],
    ['owner', undefined, 'is missing'],
    ['owner.email', 'nobody', 'Invalid email address'],
    ['keys[0].secret', 'env:NOWHERE', 'NOWHERE is not set in the environment'],
    ['keys[0].secret', 'env:constructor', 'constructor is not set in the environment'],
    ['keys[0].secret', 'pk_test_short', 'must be pk_test_ or pk_live_ and 16 to 248 characters without spaces'],
    ['keys[0].secret', environment.LIVE_API_KEY, 'a live key must come from env:NAME'],
    ['keys[0].mode', 'live', 'does not match the secret, which is a test key'],
    ['webhooks[0].url', 'ftp://owner.example/', 'must begin with https://'],
    ['webhooks[0].url', 'https://10.0.0.1/', 'an IP address is not accepted: use a host name'],
    ['webhooks[0].secret', 'whsec_c2hvcnQ=', 'must be whsec_ and base64 of 24 to 64 bytes, not 5'],
    ['webhooks[0].secret', 'secret', 'must begin with whsec_'],
    ['webhooks[0].events', ['*', '*'], 'an event is listed twice'],
    ['paywalls', [], 'Too small: expected array to have >=1 items'],
    ['paywalls[0].id', '10x', 'must be a decimal number of 19 digits at most'],
    ['paywalls[0].id', 1001, 'expected string, received number'],
    ['paywalls[0].name', undefined, 'is missing'],
    ['paywalls[0].domain', 'Pay.Acme.example', 'must be a lower-case host name'],
    ['paywalls[0].domain', '10.0.0.1', 'must be a lower-case host name'],
    ['paywalls[0].settings.success_redirect_url', 'ftp://x.example', 'must be an http or https URL'],
    ['paywalls[0].settings.id', '7', "is not the paywall's id"],
    ['paywalls[0].settings.name', 'Other', "is not the paywall's name"],
    ['paywalls[0].settings.text', 'a\0b', 'contains a NUL character'],
    ['paywalls[0].settings.text', 'a\ud800b', 'contains a lone surrogate'],
    ['paywalls[0].settings.tokenization_queries[0].limit', 3, 'unknown field'],
    ['paywalls[0].geo.tiers.2[0]', 'UK', 'not an ISO 3166-1 alpha-2 country code in upper case'],
    ['paywalls[0].geo.tiers.2[0]', 'US', 'US is listed twice'],
    ['paywalls[0].processor.credentials.secretKey', 'env:NOWHERE', 'NOWHERE is not set in the environment'],
    ['paywalls[0].processor.credentials.secretkey', 'x', 'unknown field'],
    ['paywalls[0].processor.acquiring', 'paypal', null],
    [`${price}.currency`, 'usd', 'not an ISO 4217 currency code'],
    [`${price}.amount`, 9.999, '9.999 is not an amount of USD'],
    [`${price}.currency`, 'XAU', 'not an ISO 4217 currency code'],
    [`${price}.amount`, -1, 'Too small: expected number to be >=0'],
    [`${price}.amount`, 1e15, '1000000000000000 is not an amount of USD'],
    [`${price}.trial_days`, 731, 'Too big: expected number to be <=730'],
    [`${price}.trial_days`, 1.5, 'expected int, received number'],
    [`${price}.per_unit`, 3, 'expected boolean, received number'],
    [`${price}.colour`, 'red', 'unknown field'],
    [`${price}.features`, ['export', 'export'], 'a feature is listed twice'],
    [`${price}.tokens[0].type`, 'gold', 'is not a type in settings.tokenization_queries'],
    [`${price}.locals[1].tier`, 4, 'there is no tier 4'],
    [local, { currency: 'INR', amount: 1, processorPrice: 'x' }, 'give either countries or tier'],
    [`${local}.tier`, 3, null],
    ['paywalls[0].prices[1].trial_days', 3, 'a price without interval has no trial'],
    [`${price}.tokens[0].trial_count`, -1, 'Too small: expected number to be >=0'],
    ['paywalls[0].settings.max_trial_days', 731, 'Too big: expected number to be <=730'],
    ['paywalls[0].prices[1].interval_count', 3, 'a price without interval is a one-time price'],
    ['paywalls[0].prices[1].amount', 0.5, '0.5 is not an amount of JPY'],
    ['paywalls[0].prices[1].slug', 'monthly', 'is the same as in entry 0'],
  ])('is rejected with the path of %s = %j', async (path, value, message) => {
    const errors = await readErrors(sampleFileText({ [path]: value }))
    if (message !== null) expect(errors).toEqual([`${path}: ${message}`])
    else expect(errors).toEqual([expect.stringContaining(path.replace(/\.tier$/, ''))])
  })

  test.each<[string, Changes, string[]]>([
    [
      'trial tokens of a price that cannot have a trial',
      {
        'paywalls[0].prices[1].tokens': [{ type: 'standard', count: 1, trial_count: 1 }],
        'paywalls[0].prices[1].access': true,
      },
      ['paywalls[0].prices[1].tokens[0].trial_count: a price without interval has no trial'],
    ],
    [
      'a one-time price with tokens that does not set access',
      { 'paywalls[0].prices[1].tokens': [{ type: 'standard', count: 1 }] },
      ['paywalls[0].prices[1].access: is required for a one-time price with tokens: true, or false for a pack'],
    ],
    [
      'a subscription without access, and features without access',
      {
        'paywalls[0].prices[0].access': false,
        'paywalls[0].prices[1].access': false,
        'paywalls[0].prices[1].features': ['export'],
      },
      [
        'paywalls[0].prices[0].access: a subscription always gives access',
        'paywalls[0].prices[1].features: a price without access cannot have features',
      ],
    ],
    [
      'two keys with the same name and secret',
      { 'keys[1]': { name: 'backend', secret: environment.API_KEY } },
      ['keys[1].name: is the same as in entry 0', 'keys[1].secret: is the same as in entry 0'],
    ],
    [
      'the same webhook URL in two spellings',
      { 'webhooks[1]': { url: 'https://OWNER.example:443/webhooks' } },
      ['webhooks[1].url: is the same as in entry 0'],
    ],
    [
      'a paywall twice',
      { 'paywalls[1]': paywall },
      ['paywalls[1].id: is the same as in entry 0', 'paywalls[1].domain: is the same as in entry 0'],
    ],
    [
      'a country in two local prices',
      { [`${price}.locals[1].tier`]: undefined, [`${price}.locals[1].countries`]: ['BR', 'IN'] },
      [`${price}.locals[1].countries[1]: IN is listed twice`],
    ],
    [
      'a key and a webhook without a mode in a file with both modes',
      { 'keys[0].secret': undefined, 'paywalls[1]': { ...paywall, id: '2', domain: null, test: false } },
      [
        'paywalls[1].processor.credentials: are for test mode, but this is a live paywall',
        'webhooks[0].test: is required, because the file has test and live paywalls',
        'keys[0].mode: is required, because the file has test and live paywalls',
      ],
    ],
    [
      'secrets in a live file',
      {
        'paywalls[0].test': false,
        'webhooks[0].secret': environment.WEBHOOK_SECRET,
        'paywalls[0].processor.credentials.secretKey': 'sk_live_1',
        'paywalls[0].turnstile': {
          siteKey: '1x00000000000000000000AA',
          secretKey: '1x0000000000000000000000000000000AA',
        },
      },
      [
        'paywalls[0].processor.credentials.secretKey: a live paywall must take its secrets from env:NAME',
        'paywalls[0].turnstile.secretKey: a live paywall must take its secrets from env:NAME',
        "paywalls[0].turnstile.secretKey: one of Cloudflare's keys for tests on a live paywall",
        'webhooks[0].secret: a live webhook must take its secret from env:NAME',
      ],
    ],
    [
      'a live webhook without TLS, even if all paywalls are in test mode',
      { 'webhooks[0].test': false, 'webhooks[0].url': 'http://127.0.0.1:8790/webhooks' },
      ['webhooks[0].url: must begin with https://'],
    ],
    [
      'a live key on a test paywall',
      { 'paywalls[0].processor.credentials.secretKey': 'env:STRIPE_LIVE_KEY' },
      ['paywalls[0].processor.credentials: are for live mode, but this is a test paywall'],
    ],
    [
      'a price per unit whose largest quantity is no exact amount, or brings too many tokens',
      {
        [`${price}.per_unit`]: true,
        [`${price}.amount`]: 9007199255,
        [`${price}.locals[1].amount`]: 9007199254.75,
        [`${price}.tokens[0]`]: { type: 'standard', count: 100_000_001, trial_count: 100_000_001 },
      },
      [
        `${price}.amount: at most 9007199254.74 with per_unit`,
        `${price}.locals[1].amount: at most 9007199254.74 with per_unit`,
        `${price}.tokens[0].count: at most 100000000 with per_unit`,
        `${price}.tokens[0].trial_count: at most 100000000 with per_unit`,
      ],
    ],
    [
      'several units at a processor that cannot sell them',
      {
        'paywalls[0].processor': { acquiring: 'polar', credentials: { accessToken: 'polar_1', webhookSecret: 's' } },
        'paywalls[0].prices': [
          {
            slug: 'monthly',
            label: 'Monthly',
            currency: 'USD',
            amount: 9.99,
            interval: 'month',
            processorPrice: '0b1f1c2e-6a51-4c5e-9a4e-2f6f0b7a9999',
            per_unit: true,
          },
        ],
      },
      [`${price}.per_unit: Polar cannot sell several units of a price (sellsUnits)`],
    ],
    [
      'an unknown processor',
      { 'paywalls[0].processor': { acquiring: 'paypal', credentials: {} } },
      ['paywalls[0].processor.acquiring: must be one of stripe, polar, chargebee, freemius, mollie'],
    ],
    [
      'prices that Polar cannot sell',
      { 'paywalls[0].processor': { acquiring: 'polar', credentials: { accessToken: 'polar_1', webhookSecret: 's' } } },
      [
        `${price}.processorPrice: must be the id of a product`,
        `${price}.locals[0].processorPrice: must be the id of a product`,
        `${price}.locals[1].processorPrice: must be the id of a product`,
        'paywalls[0].prices[1].processorPrice: must be the id of a product',
      ],
    ],
    [
      'prices that Mollie cannot charge',
      {
        'paywalls[0].processor': { acquiring: 'mollie', credentials: { apiKey: 'test_1', webhookSecret: 's' } },
        [`${price}.interval_count`]: 13,
        [`${price}.locals[0].amount`]: 0,
      },
      [
        `${price}.locals[0].currency: Mollie does not support INR`,
        `${price}.interval_count: Mollie charges at least once a year: at most 12 with month`,
        `${price}.locals[0].amount: Mollie requires an amount above 0`,
      ],
    ],
    [
      'prices that Stripe cannot charge',
      {
        [`${price}.currency`]: 'IQD',
        [`${price}.locals[0].currency`]: 'KWD',
        [`${price}.locals[0].amount`]: 5.124,
        [`${price}.locals[1].currency`]: 'MGA',
        [`${price}.locals[1].amount`]: 1500.5,
      },
      [
        `${price}.currency: Stripe does not support IQD`,
        `${price}.locals[0].amount: Stripe charges KWD with 2 decimals at most`,
        `${price}.locals[1].amount: Stripe charges MGA without decimals`,
      ],
    ],
    [
      'several errors at once',
      { 'keys[0].secret': 'env:NOWHERE', [`${price}.amount`]: '9.99', 'webhooks[0].url': 'x', 'paywalls[0].x': 1 },
      [
        'keys[0].secret: NOWHERE is not set in the environment',
        `${price}.amount: expected number, received string`,
        'paywalls[0].x: unknown field',
        'webhooks[0].url: not a URL',
      ],
    ],
  ])('is rejected for %s', async (_what, changes, errors) => {
    expect(await readErrors(sampleFileText(changes))).toEqual(errors)
  })

  test.each([
    ['', 'unexpected end of file (line 1 column 1)'],
    ['{\n  "owner": yes\n}', "Unexpected token 'y' (line 2 column 12)"],
    ['{\n  "owner": ', 'unexpected end of file (line 2 column 12)'],
    ["{'owner': 1}", "Expected property name or '}' at position 1 (line 1 column 2)"],
  ])('is rejected with the position of the syntax error in %j', async (text, message) => {
    expect(await readErrors(text)).toEqual([`not valid JSON: ${message}`])
  })

  test('cannot pollute a prototype or overflow the stack', async () => {
    const text = sampleFileText().replace('"anything"', '"__proto__"')
    expect(await readErrors(text)).toEqual(['paywalls[0].settings: a field cannot be called __proto__'])
    expect(await readErrors('[')).toHaveLength(1)
    expect(await readErrors('['.repeat(100_000) + ']'.repeat(100_000))).not.toEqual([])
  })

  test('gets a readable error for a wrong value in any field', async () => {
    const values = [null, undefined, 0, -1.5, '', 'x', true, [], [null], {}, { type: 1 }]
    const changes = getPaths(JSON.parse(sampleFileText())).flatMap((path) => values.map((value) => ({ [path]: value })))
    expect(changes.length).toBeGreaterThan(500)
    for (const change of changes) {
      const errors = await readErrors(sampleFileText(change))
      expect(errors, JSON.stringify(change)).not.toContainEqual(expect.stringMatching(/undefined|\[object/))
    }
  })

  test('does not have its secrets in the errors', async () => {
    const secret = 'pk_test_hidden'
    expect((await readErrors(sampleFileText(), { ...environment, API_KEY: secret })).join()).not.toContain(secret)
  })
})

/** The path of every field of a JSON value, at any depth. */
function getPaths(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const own = Array.isArray(value) ? `${path}[${name}]` : `${path}${path && '.'}${name}`
    return [own, ...getPaths(field, own)]
  })
}
