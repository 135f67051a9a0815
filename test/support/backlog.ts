import { createHash, randomUUID } from 'node:crypto'
import { fillCrowd, fillCrowdDeliveries } from '../../bench/fill/crowd.ts'
import { fillDeliveries } from '../../bench/fill/deliveries.ts'
import { fillExpired as fillExpiredOf } from '../../bench/fill/expired.ts'
import { fillForgotten as fillForgottenOf } from '../../bench/fill/forgotten.ts'
import type { Filler } from '../../bench/fill/insert.ts'

// What waits for the crons, so much of it, written past functions and keys. It is of users and prices that nobody made.

const PAYWALL_ID = '1'
const DEAD = 'https://dead.example/'
const someTimeAgo = (days: number) => `now() - interval '${days} days' - n * interval '1 millisecond'`

/** The delivery that somebody has leased of those at the dead webhook endpoint: of its user there are more behind it. */
export const LEASED = {
  eventId: `evt_${createHash('md5').update('blocked-1').digest('hex')}`,
  endpointId: randomUUID(),
  holder: randomUUID(),
  attempts: 4,
}

/** The paywall that all of it is about, and its owner's webhook endpoint, which is dead. */
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

/** Deliveries to one webhook endpoint that is dead: of one half each is due, of the other nearly all wait behind others. */
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

/** Deliveries to 500 webhook endpoints that fail. They come up in an hour. */
export async function fillBehindMany(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  const crowd = { paywallId: PAYWALL_ID, webhookEndpoints: 500, deliveries: count }
  await fillCrowd(filler, crowd)
  await fillCrowdDeliveries(filler, crowd)
}

/** Hosted pages and purchases that the reconcile cron has not come to, so many of each. */
export async function fillOverdue(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  await fillToReconcile(filler, count, { paywall_id: `'${PAYWALL_ID}'`, reconcile_at: someTimeAgo(0) })
}

/** The same of 500 paywalls, for none of which it is due yet. */
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
  const page = { id: 'gen_random_uuid()', trial_days: '0', hosted_page_id: `'cs_' || n` }
  await filler.insert('checkouts', rows, { ...sale, ...page, ...urls })
  const terms = { interval: `'month'`, interval_count: '1', unit_amount: '999', cancel_at_period_end: 'false' }
  const purchase = { checkout_id: 'gen_random_uuid()', processor_id: `'sub_' || n`, status: `'active'`, begun: 'true' }
  await filler.insert('purchases', rows, { ...sale, ...terms, ...purchase, fetched_at: someTimeAgo(8) })
}

/** What has no use any more, so many rows in all. */
export async function fillExpired(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  await fillExpiredOf(filler, { paywallId: PAYWALL_ID, webhookUrl: DEAD, users: 24, rows: count })
}

/** Anonymous users who did not come back, so many, with what they left behind. */
export async function fillForgotten(filler: Filler, count: number): Promise<void> {
  await fillPaywall(filler)
  await fillForgottenOf(filler, { paywallId: PAYWALL_ID, priceId: 'price_1', users: count })
}
