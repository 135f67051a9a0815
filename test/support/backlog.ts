import { createHash, randomUUID } from 'node:crypto'
import { fillAbandonedUsers as insertAbandonedUsers } from '../../bench/fill/abandoned-users.ts'
import { fillDeliveries } from '../../bench/fill/deliveries.ts'
import { fillExpired as insertExpired } from '../../bench/fill/expired.ts'
import { fillFailingDeliveries, fillFailingEndpoints } from '../../bench/fill/failing-endpoints.ts'
import type { Filler } from '../../bench/fill/insert.ts'

// A backlog for the crons, inserted without the database functions and without foreign keys: its users and prices do not exist.

const PAYWALL_ID = '1'
const DEAD = 'https://dead.example/'
const someTimeAgo = (days: number) => `now() - interval '${days} days' - n * interval '1 millisecond'`

/** The leased delivery to the dead webhook endpoint; its user has more deliveries queued behind it. */
export const LEASED = {
  eventId: `evt_${createHash('md5').update('blocked-1').digest('hex')}`,
  endpointId: randomUUID(),
  holder: randomUUID(),
  attempts: 4,
}

/** The paywall that the backlog belongs to, and its owner's dead webhook endpoint. */
async function fillPaywall(filler: Filler): Promise<void> {
  await filler.run(`insert into owners (email) values ('owner@backlog.example')`)
  await filler.run(`
    insert into paywalls (id, owner_id, name, is_test, acquiring, settings, geo, offers, layout, locales)
    select '${PAYWALL_ID}', id, 'Backlog', true, 'stripe', '{}', '{}', '[]', '{}', '{}' from owners`)
  await filler.run(
    `insert into webhook_endpoints (id, owner_id, is_test, url, secret, events, failures)
     select $1, id, true, $2, 'x', '{*}', 9 from owners`,
    [LEASED.endpointId, DEAD],
  )
}

/** Deliveries to one dead webhook endpoint: half of them are each due, and nearly all of the others wait behind another one. */
export async function fillBehindOne(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  const backlog = { paywallId: PAYWALL_ID, webhookUrl: DEAD, events: count / 2 }
  await fillDeliveries(filler, { ...backlog, users: count / 2, as: 'due' })
  await fillDeliveries(filler, { ...backlog, users: 24, as: 'blocked' })
  await filler.run('update deliveries set holder = $1, attempts = $2 where event_id = $3', [
    LEASED.holder,
    LEASED.attempts,
    LEASED.eventId,
  ])
}

/** Deliveries to 500 failing webhook endpoints, due within an hour. */
export async function fillBehindMany(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  const failing = { paywallId: PAYWALL_ID, webhookEndpoints: 500, deliveries: count }
  await fillFailingEndpoints(filler, failing)
  await fillFailingDeliveries(filler, failing)
}

/** `count` hosted pages and as many purchases that the reconcile cron has not processed yet. */
export async function fillOverdue(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  await fillToReconcile(filler, count, { paywall_id: `'${PAYWALL_ID}'`, reconcile_at: someTimeAgo(0) })
}

/** The same for 500 paywalls, none of them due yet. */
export async function fillNotDue(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  const reconcile_at = `now() + interval '1 day'`
  await fillToReconcile(filler, count, { paywall_id: `(1000 + n % 500)::text`, reconcile_at })
}

async function fillToReconcile(
  filler: Filler,
  count: number,
  due: { paywall_id: string; reconcile_at: string },
): Promise<void> {
  const rows = { from: 1, to: count }
  const sale = {
    ...due,
    user_id: 'gen_random_uuid()',
    price_id: `'price_1'`,
    acquiring: `'stripe'`,
    currency: `'USD'`,
  }
  const urls = { success_url: `''`, error_url: `''`, return_origin: `''` }
  const page = { id: 'gen_random_uuid()', trial_days: '0', further_trial: 'false', hosted_page_id: `'cs_' || n` }
  await filler.insert('checkouts', rows, { ...sale, ...page, ...urls })
  const terms = { interval: `'month'`, interval_count: '1', unit_amount: '999', cancel_at_period_end: 'false' }
  const purchase = { checkout_id: 'gen_random_uuid()', processor_id: `'sub_' || n`, status: `'active'`, begun: 'true' }
  await filler.insert('purchases', rows, { ...sale, ...terms, ...purchase, fetched_at: someTimeAgo(8) })
}

/** `count` rows in all that purge-expired should delete. */
export async function fillExpired(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  await insertExpired(filler, { paywallId: PAYWALL_ID, webhookUrl: DEAD, users: 24, rows: count })
}

/** `count` anonymous users who never returned, with everything they left behind. */
export async function fillAbandonedUsers(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  await insertAbandonedUsers(filler, { paywallId: PAYWALL_ID, priceId: 'price_1', users: count })
}
