import type { Filler, Rows } from './insert.ts'

/** SQL for the id of the filled user with a number, or of its checkout or purchase. */
export const filledId = (number: string, kind: 'user' | 'checkout' | 'purchase' = 'user'): string =>
  `('${KINDS[kind]}-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`

const KINDS = { user: 'f0000000', checkout: 'f1000000', purchase: 'f2000000' }

export const filledEmail = (number: number): string => `filled-${number}@bench.example`

/** The checkout of the filled user with a number. */
export const filledCheckout = (number: number) => ({
  checkoutId: `${KINDS.checkout}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
  hostedPageId: `cs_filled_${number}`,
})

/** How many purchases of a fill the reconcile cron has to poll. */
const DUE = 100

/**
 * Users with a monthly subscription and tokens: membership, checkout, purchase, balance and ledger.
 * The first few purchases of each fill are due for a poll by reconcile.
 */
export async function fillUsers(
  filler: Filler,
  rows: Rows,
  { paywallId, priceId }: { paywallId: string; priceId: string },
): Promise<void> {
  const member = { paywall_id: `'${paywallId}'`, user_id: filledId('n') }
  const sale = { ...member, price_id: `'${priceId}'`, acquiring: `'stripe'`, currency: `'USD'` }
  const isDue = `n < ${rows.from + DUE}`
  await filler.insert('users', rows, {
    id: filledId('n'),
    owner_id: `(select owner_id from paywalls where id = '${paywallId}')`,
    is_test: `(select is_test from paywalls where id = '${paywallId}')`,
    email: `'filled-' || n || '@bench.example'`,
  })
  await filler.insert('members', rows, {
    ...member,
    owner_id: `(select owner_id from paywalls where id = '${paywallId}')`,
    is_test: `(select is_test from paywalls where id = '${paywallId}')`,
  })
  await filler.insert('checkouts', rows, {
    ...sale,
    id: filledId('n', 'checkout'),
    trial_days: '0',
    further_trial: 'false',
    success_url: `'https://bench.example/thanks'`,
    error_url: `'https://bench.example/sorry'`,
    return_origin: `'http://127.0.0.1'`,
    hosted_page_id: `'cs_filled_' || n`,
    url: `'https://checkout.example/' || n`,
    amount: '999',
    completed_at: 'now()',
  })
  await filler.insert('purchases', rows, {
    ...sale,
    id: filledId('n', 'purchase'),
    checkout_id: filledId('n', 'checkout'),
    processor_id: `'sub_filled_' || n`,
    processor_customer: `'cus_filled_' || n`,
    status: `'active'`,
    begun: 'true',
    interval: `'month'`,
    interval_count: '1',
    unit_amount: '999',
    current_period_start: `now() - interval '1 day'`,
    current_period_end: `now() + interval '29 days'`,
    paid_period_start: `now() - interval '1 day'`,
    cancel_at_period_end: 'false',
    fetched_at: `case when ${isDue} then now() - interval '8 days' else now() end`,
    reconcile_at: `case when ${isDue} then now() - interval '1 day' else now() + interval '7 days' end`,
  })
  const balance = { ...member, type: `'standard'`, count: '1000000000' }
  await filler.insert('balances', rows, {
    ...balance,
    previous_count: '0',
    top_up: '0',
    topped_up_on: `(now() at time zone 'utc')::date`,
  })
  await filler.insert('ledger', rows, {
    ...balance,
    delta: '1000000000',
    count_after: '1000000000',
    reason: `'credit'`,
  })
}
