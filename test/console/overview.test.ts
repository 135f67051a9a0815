import { beforeAll, describe, expect, test } from 'vitest'
import { FIGURES, type FigureName } from '../../lib/figures/figures.ts'
import { type Buyer, buy, cancelThroughApi, causeAtProcessor, decline, handleWebhooks } from '../conformance/buyer.ts'
import { change } from '../conformance/change-plan-calls.ts'
import { type Shop, useShops } from '../conformance/shop.ts'
import { type ConsoleVisitor, signInToConsole } from '../support/console.ts'
import { paywall } from '../support/paywall.ts'
import { fileOfBothModes, paywallFile } from '../support/paywall-file.ts'

// Subscriptions at three processors live for two months, in two currencies. The figures of the Overview are compared with those that are
// computed here from the ledger of payments, and with what is known to have happened.

const AT = ['stripe', 'chargebee', 'mollie'] as const
/** A spreadsheet would take it for a formula. */
const FORMULA = '=1+1'

const getShop = useShops(1, (sold, _, acquiring) => ({
  ...sold,
  prices: sold.prices.map((price) => ({
    ...price,
    ...(price.slug === 'pack' && { slug: FORMULA }),
    ...(price.slug === 'monthly' && AT.some((each) => each === acquiring) && { per_unit: true }),
  })),
}))
const DAY_MS = 86_400_000
const IN_GERMANY = { body: { country: 'DE' } }

let visitor: ConsoleVisitor
let range: { from: string; to: string }

beforeAll(async () => {
  const stripe = getShop('stripe')
  const { world } = stripe
  await change(await buy(stripe, 'monthly'), 'plus', { when: 'now' })
  await change(await buy(stripe, 'plus'), 'monthly', { when: 'period_end' })
  await buy(stripe, 'monthly', { body: { country: 'DE', quantity: 3 } })
  await buy(stripe, 'yearly')
  await cancelThroughApi(await buy(stripe, 'yearly'))
  await buy(stripe, FORMULA as 'pack')
  const refunded = await buy(stripe, 'monthly', IN_GERMANY)
  await causeAtProcessor(refunded, (id) => stripe.account.refund(id, 300))
  const replaced = await buy(stripe, 'monthly')
  await buy(stripe, 'plus', { email: replaced.email, body: { ignoreActivePurchase: true } })
  await dispute(await buy(stripe, 'monthly'), false)

  const chargebee = getShop('chargebee')
  const unpaid = await buy(chargebee, 'monthly')
  await decline(unpaid, true)

  const mollie = getShop('mollie')
  await cancelThroughApi(await buy(mollie, 'monthly', IN_GERMANY))
  await dispute(await buy(mollie, FORMULA as 'pack'), true)
  const failing = await buy(mollie, 'monthly')
  await causeAtProcessor(failing, mollie.account.failCharge)
  await causeAtProcessor(failing, mollie.account.recover)

  const from = (await world.clock.now(stripe.paywall.id)).toISOString().slice(0, 10)
  for (const span of ['20d', '20d']) for (const name of AT) await advance(getShop(name), span)
  await decline(unpaid, false)
  await causeAtProcessor(unpaid, chargebee.account.recover)
  const ends = await Promise.all(AT.map((name) => world.clock.now(getShop(name).paywall.id)))
  // Mollie dates the payment that recovers the other one at the end of the next period.
  range = { from, to: new Date(Math.max(...ends.map(Number)) + 30 * DAY_MS).toISOString().slice(0, 10) }
  visitor = await signInToConsole(world, world.file.owner.email)
}, 150_000)

async function advance({ world, paywall: { id }, ...shop }: Shop, span: string): Promise<void> {
  await world.clock.advance(id, span)
  await handleWebhooks({ world, paywall: { id }, ...shop } as Shop)
}

async function dispute(buyer: Buyer, wins: boolean): Promise<void> {
  const { account } = buyer.shop
  await causeAtProcessor(buyer, account.dispute)
  await causeAtProcessor(buyer, (id) => account.decideDispute!(id, wins))
}

type Line = Record<FigureName, number> & { key: string }

const isMoney = new Set<string>(FIGURES.filter(({ unit }) => unit === 'money').map(({ name }) => name))

/** The rows of a CSV, with amounts in minor units. Both currencies have two decimals. */
async function readCsv(query: Record<string, string>): Promise<Line[]> {
  const { status, html } = await visitor.get(
    `/test/overview?${new URLSearchParams({ ...range, ...query, format: 'csv' })}`,
  )
  expect(status).toBe(200)
  const [head, ...lines] = html
    .trimEnd()
    .split('\r\n')
    .map((line) => line.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [])
  return lines.map(
    ([key = '', , ...cells]) =>
      ({
        key,
        ...Object.fromEntries(
          cells.map((cell, index) => {
            const name = head![index + 2]!
            return [name, Math.round(Number(cell) * (isMoney.has(name) ? 100 : 1))]
          }),
        ),
      }) as Line,
  )
}

interface Fact {
  purchase_id: string
  kind: string
  fact_id: string
  amount: number
  currency: string
  day: string
}

const readLedger = async (): Promise<Fact[]> =>
  (
    await getShop('stripe').world.database.query<Fact>(
      `select purchase_id, kind, fact_id, amount::float8, currency, to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD') as day
       from payments order by occurred_at, id`,
    )
  ).rows

/** What the ledger says of a day. A failure counts if the purchase's payment before was none; the next success recovers it. */
function countPayments(ledger: Fact[], currency: string, day: string): Partial<Line> {
  const sum = (facts: Fact[]) => facts.reduce((total, { amount }) => total + amount, 0)
  const own = ledger.filter((fact) => fact.currency === currency)
  const of = (kind: string) => own.filter((fact) => fact.kind === kind && fact.day === day)
  const wonBack = of('dispute_won').filter(({ fact_id }) =>
    own.some((fact) => fact.kind === 'dispute_lost' && fact.fact_id === fact_id),
  )
  const charges = own.filter(({ kind }) => kind === 'succeeded' || kind === 'failed')
  const follows = (fact: Fact, kind: string) =>
    charges.slice(0, charges.indexOf(fact)).findLast(({ purchase_id: id }) => id === fact.purchase_id)?.kind === kind
  const failed = of('failed').filter((fact) => !follows(fact, 'failed'))
  const recovered = of('succeeded').filter((fact) => follows(fact, 'failed'))
  const [revenue, refunds, lost] = [sum(of('succeeded')), sum(of('refunded')), sum(of('dispute_lost')) - sum(wonBack)]
  return {
    revenue,
    refunds,
    lost_disputes: lost,
    net_revenue: revenue - refunds - lost,
    payments: of('succeeded').length,
    refund_count: of('refunded').length,
    disputes: of('disputed').length,
    failed_payments: failed.length,
    failed_amount: sum(failed),
    recovered_payments: recovered.length,
    recovered_amount: sum(recovered),
  }
}

const total = (lines: Line[], name: FigureName) => lines.reduce((sum, line) => sum + line[name], 0)

describe.for(['USD', 'EUR'])('in %s', (currency) => {
  test('payments, refunds, disputes and failures of each day are those in the ledger of payments', async () => {
    const [lines, ledger] = [await readCsv({ currency }), await readLedger()]
    expect(lines.length).toBeGreaterThan(40)
    for (const line of lines) expect(line).toMatchObject(countPayments(ledger, currency, line.key))
    expect(total(lines, 'revenue')).toBe(
      ledger
        .filter((fact) => fact.kind === 'succeeded' && fact.currency === currency)
        .reduce((sum, { amount }) => sum + amount, 0),
    )
  })

  test('MRR of each day is that of the day before and what has changed, and in the end that of the subscriptions', async () => {
    const lines = await readCsv({ currency })
    const changes = ['mrr_new', 'mrr_upgrade', 'mrr_recovered', 'mrr_downgrade', 'mrr_churn'] as const
    let [mrr, subscriptions] = [0, 0]
    for (const line of lines) {
      mrr += changes.reduce((sum, name) => sum + line[name], 0)
      subscriptions += line.new_subscriptions + line.recovered_subscriptions - line.churned_subscriptions
      expect([line.key, line.mrr, line.subscriptions]).toEqual([line.key, mrr, subscriptions])
    }
    const { rows } = await getShop('stripe').world.database.query<{ interval: string; amount: number }>(
      `select interval, (unit_amount * quantity)::float8 as amount from purchases
       where currency = $1 and interval is not null and status in ('active', 'past_due') and replaced_by is null`,
      [currency],
    )
    const each = rows.map(({ interval, amount }) => (interval === 'year' ? Math.round(amount / 12) : amount))
    expect(lines.at(-1)).toMatchObject({
      mrr: each.reduce((sum, amount) => sum + amount, 0),
      subscriptions: each.length,
    })
  })

  test('the figures by price, country and processor add up to those by day', async () => {
    const days = await readCsv({ currency })
    for (const by of ['price', 'country', 'acquiring']) {
      const lines = await readCsv({ currency, by })
      for (const { name, ...figure } of FIGURES) {
        const expected = 'isLevel' in figure ? days.at(-1)![name] : total(days, name)
        expect([by, name, total(lines, name)]).toEqual([by, name, expected])
      }
    }
  })
})

test('what has happened is counted as what it was', async () => {
  const [usd, eur] = [await readCsv({ currency: 'USD' }), await readCsv({ currency: 'EUR' })]
  const names = ['mrr_new', 'mrr_upgrade', 'mrr_downgrade', 'mrr_recovered', 'mrr_churn'] as const
  const sums = (lines: Line[]) => names.map((name) => total(lines, name))
  // Monthly 9.99 is sold five times, plus 19.99 once, and a yearly trial is paid for: 89 / 12. An upgrade is one of the plan, the other one by
  // a second purchase.
  expect(sums(usd)).toEqual([5 * 999 + 1999 + 742, 2 * 1000, -1000, 999, -999])
  // 3 units, one that is refunded in part, and one that was cancelled.
  expect(sums(eur)).toEqual([3 * 899 + 899 + 899, 0, 0, 0, -899])
  const counts = [
    'trials_started',
    'trials_converted',
    'trials_ended',
    'failed_payments',
    'recovered_payments',
  ] as const
  expect(counts.map((name) => total(usd, name))).toEqual([2, 1, 1, 2, 2])
  expect(usd.map(({ trials }) => trials)).toEqual(usd.map((_, day) => (day < 7 ? 2 : 0)))
})

test('the figures stay the same when the cron adds up what is pending', async () => {
  const { world } = getShop('stripe')
  const pages = () =>
    Promise.all(['day', 'price', 'country', 'acquiring'].map((by) => readCsv({ currency: 'USD', by, from: range.to })))
  const [before, all] = [await pages(), await readCsv({})]
  await world.workers.scheduled('purge-expired')
  expect((await world.database.query('select from pending_figures')).rowCount).toBe(0)
  expect([await pages(), await readCsv({})]).toEqual([before, all])
})

test('the command prints the same figures', async () => {
  const { world } = getShop('stripe')
  const owner = ['--owner', world.file.owner.email]
  const { out } = await paywall(world, [
    'stats',
    ...owner,
    '--from',
    range.from,
    '--to',
    range.to,
    '--by',
    'price',
    '--json',
  ])
  for (const { currency, rows } of JSON.parse(out).reports) {
    const lines = await readCsv({ currency, by: 'price' })
    expect(rows.map(({ key: _, ...figures }: Line) => figures)).toEqual(lines.map(({ key: _, ...figures }) => figures))
  }
  const text = await paywall(world, ['stats', ...owner, '--by', 'acquiring', '--from', range.from, '--to', range.to])
  expect(text.out).toMatch(/USD\nacquiring +Revenue .*\nstripe +\d+\.\d\d /)
})

describe('in one currency', () => {
  const apply = (rates: { currency: string; valid_from: string; rate: string }[]) => {
    const { world } = getShop('stripe')
    return world.apply({ ...world.file, reporting: { currency: 'EUR', rates } })
  }

  test('all amounts are converted by the rates of their days, and MRR by that of the last one', async () => {
    const [usd, eur] = [await readCsv({ currency: 'USD' }), await readCsv({ currency: 'EUR' })]
    const second = usd[20]!.key
    await apply([
      { currency: 'USD', valid_from: '2026-01-01', rate: '0.9' },
      { currency: 'USD', valid_from: second, rate: '0.123456789' },
    ])
    const rateOn = (day: string) => (day < second ? 0.9 : 0.123456789)
    const all = await readCsv({ currency: 'converted' })
    for (const name of ['revenue', 'refunds', 'mrr', 'mrr_churn', 'failed_amount'] as const) {
      const expected = usd.map((line, day) => Math.round(line[name] * rateOn(line.key) + eur[day]![name]))
      expect([name, all.map((line) => line[name])]).toEqual([name, expected.map((amount) => amount + 0)])
    }
    expect(all.map((line) => line.payments)).toEqual(usd.map((line, day) => line.payments + eur[day]!.payments))
    const byCountry = await readCsv({ by: 'country' })
    expect(Math.abs(total(byCountry, 'revenue') - total(all, 'revenue'))).toBeLessThan(10)
    expect(Math.abs(total(byCountry, 'mrr') - all.at(-1)!.mrr)).toBeLessThan(5)
  })

  test('without a rate an amount is left out, and its currency is named', async () => {
    const eur = await readCsv({ currency: 'EUR' })
    await apply([{ currency: 'USD', valid_from: eur[20]!.key, rate: '1' }])
    const all = await readCsv({})
    expect(all.slice(0, 20).map(({ revenue, mrr }) => [revenue, mrr])).toEqual(
      eur.slice(0, 20).map(({ revenue, mrr }) => [revenue, mrr]),
    )
    const { text } = await visitor.get(`/test/overview?${new URLSearchParams(range)}`)
    expect(text).toContain('Not included: amounts in USD on days without an exchange rate into EUR.')
  })
})

test('before the first day there is what was there, however the figures are split', async () => {
  const days = await readCsv({ currency: 'USD' })
  const before = days[9]!
  for (const by of ['day', 'country']) {
    const query = new URLSearchParams({ from: days[10]!.key, to: range.to, by, currency: 'USD' })
    const { text } = await visitor.get(`/test/overview?${query}`)
    expect(text).toContain(`${(before.mrr / 100).toFixed(2)} USD before`)
    expect(text).toContain(`${before.subscriptions} before`)
  }
})

test('a cell that a spreadsheet would take for a formula is harmless', async () => {
  const { html } = await visitor.get(`/test/overview?${new URLSearchParams({ ...range, by: 'price', format: 'csv' })}`)
  expect(html).toContain(`"'${FORMULA}, `)
  expect(html).not.toMatch(/^"?[=+\-@]/m)
})

test('neither another owner nor the other mode shows any of it', async () => {
  const { world } = getShop('stripe')
  const both = await fileOfBothModes()
  for (const file of [await paywallFile(), both]) await world.apply(file)
  const other = await signInToConsole(world, both.owner.email)
  for (const page of [
    await visitor.get('/live/overview'),
    await other.get('/test/overview'),
    await other.get('/live/overview'),
  ]) {
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Nothing was sold') })
  }
})

test.for([
  ['from=2026-11-03', 400],
  ['from=2026-11-03&to=2026-11-02', 400],
  ['from=2026-02-30&to=2026-03-02', 400],
  ['from=2020-01-01&to=2026-01-01', 400],
  ['days=0', 400],
  ['days=-1', 400],
  ['days=99999', 400],
  ['by=nonsense&currency=nonsense&chart=nonsense', 200],
] as const)('%s is answered %i', async ([query, status]) => {
  expect((await visitor.get(`/test/overview?${query}`)).status).toBe(status)
})
