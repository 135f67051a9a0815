import { afterAll, expect, test } from 'vitest'
import { openApplying } from '../support/applying.ts'
import { readErrors, sampleFileText } from '../support/sample-paywall-file.ts'

const { query, someOwner, close } = await openApplying()

afterAll(close)

const readReporting = (id: string) =>
  query(
    `select o.reporting_currency as into, r.currency, r.valid_from::text as from, r.rate::text
     from paywalls p join owners o on o.id = p.owner_id left join exchange_rates r on r.owner_id = o.id
     where p.id = $1 order by r.currency, r.valid_from`,
    id,
  )

const dollar = { from: '2026-01-01', currency: 'USD', rate: '0.92' }
const later = { ...dollar, from: '2026-07-01', rate: '0.890' }

test('the exchange rates are those of the file: added, changed, removed', async () => {
  const { id, apply, plan } = someOwner()
  await apply({ reporting: { currency: 'EUR', rates: [later, dollar] } })
  expect(await readReporting(id)).toEqual([dollar, later].map((rate) => ({ into: 'EUR', ...rate })))
  expect((await plan({ reporting: { currency: 'EUR', rates: [dollar, later] } })).changes).toEqual([])

  const { changes } = await apply({ reporting: { currency: 'EUR', rates: [later] } })
  expect(changes).toMatchObject([{ what: 'reporting', how: 'figures in EUR, 1 exchange rate' }])
  expect(await readReporting(id)).toEqual([{ into: 'EUR', ...later }])

  expect((await apply({})).changes).toMatchObject([{ what: 'reporting', how: 'removed' }])
  expect(await readReporting(id)).toEqual([{ into: null, currency: null, from: null, rate: null }])
})

test.for([
  [{ currency: 'EURO' }, 'reporting.currency: not an ISO 4217 currency code'],
  [
    { currency: 'USD', rates: [dollar] },
    'reporting.rates[0].currency: is the currency of reporting: its rate is always 1',
  ],
  [{ currency: 'EUR', rates: [dollar, dollar] }, 'reporting.rates[1]: there is another rate of USD from 2026-01-01'],
  [{ currency: 'EUR', rates: [{ ...dollar, rate: '0' }] }, 'reporting.rates[0].rate: must be more than 0'],
  [
    { currency: 'EUR', rates: [{ ...dollar, rate: '1,1' }] },
    'reporting.rates[0].rate: must be a decimal such as "0.92"',
  ],
  [
    { currency: 'EUR', rates: [{ ...dollar, from: '2026-02-30' }] },
    'reporting.rates[0].from: must be a day such as 2026-11-03',
  ],
] as const)('%j is refused', async ([reporting, error]) => {
  expect(await readErrors(sampleFileText({ reporting }))).toContain(error)
})
