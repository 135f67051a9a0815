import { afterAll, describe, expect, test } from 'vitest'
import { changeText } from '../../cli/apply/changes-text.ts'
import { openApplying } from '../support/applying.ts'
import type { Changes } from '../support/sample-paywall-file.ts'

const { someOwner, close } = await openApplying()
const price = 'paywalls[0].prices[0]'

afterAll(close)

/** The changes in a plan of the file with `edit`, after the file with `before` was applied. `ID`: the paywall's id; `PRICE`: a price's. */
async function planned(edit: Changes, before: Changes = {}): Promise<{ kept: string[]; lost: string[] }> {
  const { id, apply, plan } = someOwner()
  await apply(before)
  const { changes } = await plan(edit)
  const messages = (isDestructive: boolean) =>
    changes
      .filter(({ impact }) => (impact !== null) === isDestructive)
      .map((change) =>
        changeText(change)
          .replaceAll(id, 'ID')
          .replaceAll(/price_[0-9a-f]{24}/g, 'PRICE'),
      )
  return { kept: messages(false), lost: messages(true) }
}

describe('a changed field is printed with its old and its new value:', () => {
  test.each<[string, Changes, string[]]>([
    ['nothing', {}, []],
    [
      'a setting',
      { 'paywalls[0].settings.brand_color': '#4f46e5' },
      ['paywall ID: settings.brand_color none → #4f46e5'],
    ],
    [
      'a nested setting, and a name',
      { 'paywalls[0].settings.anything.of': ['ours'], 'paywalls[0].name': 'Acme Pro' },
      ['paywall ID: name Acme → Acme Pro, settings.anything.of[0] yours → ours'],
    ],
    [
      'a list that gets longer',
      { 'paywalls[0].geo.tiers.2': ['BR', 'MX'] },
      ['paywall ID: geo.tiers.2 ["BR"] → ["BR","MX"]'],
    ],
    [
      'a value too long for a line',
      { 'paywalls[0].settings.anything': 'x'.repeat(99) },
      [`paywall ID: settings.anything {"of":["yours"]} → ${'x'.repeat(60)}…`],
    ],
    [
      'the label, the tokens and the features of a price',
      { [`${price}.label`]: 'Each month', [`${price}.tokens[0].count`]: 600, [`${price}.features`]: ['export'] },
      ['paywall ID: price monthly: label Monthly → Each month, tokens[0].count 500 → 600, features [] → ["export"]'],
    ],
    [
      'a new price',
      {
        'paywalls[0].prices[2]': {
          slug: 'two',
          label: 'Two',
          currency: 'USD',
          amount: 15,
          interval: 'month',
          interval_count: 2,
          trial_days: 3,
          processorPrice: 'x',
        },
      },
      ['paywall ID: price two: new: 15 USD every 2 months, after a 3-day trial (PRICE)'],
    ],
    [
      'events',
      { 'webhooks[0].events': ['*', 'balance.changed'] },
      ['test webhook https://owner.example/webhooks: events * → * balance.changed'],
    ],
    ["a key's name", { 'keys[0].name': 'server' }, ['key server: renamed from backend']],
    ['a new key', { 'keys[1]': { name: 'second' } }, ['key second: new']],
  ])('%s', async (_what, edit, kept) => {
    expect(await planned(edit)).toEqual({ kept, lost: [] })
  })
})

const MOLLIE = { acquiring: 'mollie', credentials: { apiKey: 'test_1', webhookSecret: 's' } }

describe('an amount that is edited without the processor’s price', () => {
  /** The warnings of a plan of the file with `edit`, after the file with `before` was applied. */
  async function warned(edit: Changes, before: Changes = {}): Promise<string[]> {
    const { id, apply, plan } = someOwner()
    await apply(before)
    return (await plan(edit)).warnings.map((warning) => warning.replaceAll(id, 'ID'))
  }

  test('is warned of, because the processor charges the old one', async () => {
    const advice = 'Stripe charges the amount that its own price has: create another price there and enter its id'
    expect(await warned({ [`${price}.amount`]: 12, [`${price}.locals[0].amount`]: 450 })).toEqual([
      `paywall ID: price monthly: the amount changes from 9.99 USD to 12 USD, but processorPrice is still price_monthly. ${advice}`,
      `paywall ID: price monthly: the amount changes from 399 INR to 450 INR, but processorPrice is still price_monthly_inr. ${advice}`,
    ])
  })

  test('is not warned of if the processor’s price changes as well, or nothing but the trial, or the processor charges the file’s', async () => {
    expect(await warned({ [`${price}.amount`]: 12, [`${price}.processorPrice`]: 'price_monthly_12' })).toEqual([])
    expect(await warned({ [`${price}.trial_days`]: 14 })).toEqual([])
    const atMollie = {
      'paywalls[0].processor': MOLLIE,
      'paywalls[0].prices': [
        { slug: 'monthly', label: 'Monthly', currency: 'EUR', amount: 9, interval: 'month', processorPrice: 'Monthly' },
      ],
    }
    expect(await warned({ ...atMollie, [`${price}.amount`]: 12 }, atMollie)).toEqual([])
  })
})

const retired = (slug: string) => `paywall ID: price ${slug}: PRICE is retired (0 subscribers)`

test('the order of countries does not matter', async () => {
  const countries = (...codes: string[]) => ({ [`${price}.locals[0].countries`]: codes })
  expect(await planned(countries('NP', 'IN'), countries('IN', 'NP'))).toEqual({ kept: [], lost: [] })
})

describe('a destructive change is listed separately:', () => {
  test.each<[string, Changes, string[]]>([
    ['a key', { keys: [] }, ['key backend: revoked']],
    [
      'the secret of a key',
      { 'keys[0].secret': 'pk_test_another-secret-key' },
      ['key backend: new secret, the old one is revoked'],
    ],
    ['a webhook endpoint', { webhooks: [] }, ['test webhook https://owner.example/webhooks: disabled (0 subscribers)']],
    [
      'an amount, which creates a new price',
      { [`${price}.amount`]: 12, [`${price}.locals[0].amount`]: 450 },
      [
        'paywall ID: price monthly: PRICE is retired, PRICE on sale, amount 9.99 → 12, locals[0].amount 399 → 450 (0 subscribers)',
      ],
    ],
    ['all prices', { 'paywalls[0].prices': [] }, ['monthly', 'lifetime'].map(retired)],
    ['a domain', { 'paywalls[0].domain': null }, ['paywall ID: domain pay-ID.example → none (0 subscribers)']],
  ])('%s', async (_what, edit, lost) => {
    expect(await planned(edit)).toEqual({ kept: [], lost })
  })

  test('a processor, and each price sold there', async () => {
    const { lost } = await planned({
      'paywalls[0].processor': MOLLIE,
      'paywalls[0].prices': [
        {
          slug: 'monthly',
          label: 'Monthly',
          currency: 'USD',
          amount: 9.99,
          interval: 'month',
          trial_days: 7,
          processorPrice: 'Monthly',
        },
      ],
    })
    expect(lost).toContain('paywall ID: processor.acquiring stripe → mollie (0 subscribers)')
    expect(lost).toContain(retired('lifetime'))
  })
})
