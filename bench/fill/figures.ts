import { type Filler, ownedWith } from './insert.ts'

const YEARS = 3
const CURRENCIES = ['USD', 'EUR', 'INR']

/** The ways in which figures are split, with as many keys as a large owner has: SQL over `key`, the number of the key. */
const SPLITS = (paywallId: string) => [
  { by: 'day', key: `''`, keys: 1, currencies: CURRENCIES.length },
  { by: 'acquiring', key: `(array['stripe', 'mollie'])[1 + key]`, keys: 2, currencies: CURRENCIES.length },
  { by: 'price', key: `'${paywallId}/price-' || key`, keys: 20, currencies: CURRENCIES.length },
  { by: 'country', key: `chr(65 + key / 26) || chr(65 + key % 26)`, keys: 100, currencies: 1 },
]

/** An owner's figures of each day and month of some years, as if something had happened everywhere on each day. */
export async function fillFigures(filler: Filler, paywallId: string): Promise<void> {
  const columns = await filler.run(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'figures' and data_type in ('bigint', 'numeric')`,
  )
  for (const { by, key, keys, currencies } of SPLITS(paywallId)) {
    for (const isMonth of [false, true]) {
      const spans = isMonth ? YEARS * 12 : YEARS * 365
      const span = `(n / ${keys * currencies})`
      const keyNumber = `(n / ${currencies} % ${keys})`
      await filler.insert(
        'figures',
        { from: 0, to: spans * keys * currencies - 1 },
        {
          ...ownedWith(paywallId),
          by: `'${by}'`,
          is_month: String(isMonth),
          day: isMonth
            ? `(date_trunc('month', now()) - ${span} * interval '1 month')::date`
            : `(now() at time zone 'utc')::date - ${span}::integer`,
          key: key.replaceAll(/\bkey\b/g, `${keyNumber}::integer`),
          currency: `(array['${CURRENCIES.join("','")}'])[1 + n % ${currencies}]`,
          ...Object.fromEntries(columns.map(({ name }) => [String(name), '1 + n % 97'])),
        },
      )
    }
  }
}
