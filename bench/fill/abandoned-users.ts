import type { Filler } from './insert.ts'

/** SQL for the id of an anonymous user, or of its checkout. `number` is an SQL expression for the number of the user. */
const idExpression = (number: string, kind: 'user' | 'checkout') => `md5('abandoned-${kind}-' || ${number})::uuid`

/** When row `n` became due for deletion: at least a day ago. */
const PURGE_AT = `now() - interval '1 day' - n * interval '1 millisecond'`

/** Creates anonymous users who never returned, each with a balance and an unpaid checkout. */
export async function fillAbandonedUsers(
  filler: Filler,
  { paywallId, priceId, users }: { paywallId: string; priceId: string; users: number },
): Promise<void> {
  const rows = { from: 1, to: users }
  const member = { paywall_id: `'${paywallId}'`, user_id: idExpression('n', 'user') }
  const owner = {
    owner_id: `(select owner_id from paywalls where id = '${paywallId}')`,
    is_test: `(select is_test from paywalls where id = '${paywallId}')`,
  }
  await filler.insert('users', rows, { id: idExpression('n', 'user'), ...owner, purge_at: PURGE_AT })
  await filler.insert('members', rows, { ...member, ...owner })
  const tokens = { ...member, type: `'standard'` }
  await filler.insert('balances', rows, { ...tokens, count: '10' })
  await filler.insert('ledger', rows, { ...tokens, delta: '10', count_after: '10', reason: `'top_up'` })
  await filler.insert('checkouts', rows, {
    ...member,
    id: idExpression('n', 'checkout'),
    price_id: `'${priceId}'`,
    acquiring: `'stripe'`,
    trial_days: '0',
    further_trial: 'false',
    success_url: `''`,
    error_url: `''`,
    return_origin: `''`,
    purge_at: PURGE_AT,
  })
}
