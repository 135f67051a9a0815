import type pg from 'pg'
import { isOfOwner } from '../../support/owner-rows.ts'
import { changeBalance } from '../../support/token-calls.ts'
import { until } from '../../support/until.ts'
import type { Act, Owner } from './owner.ts'
import { PENDING_CRONS } from './pending.ts'
import { BOB } from './people.ts'

/** What the crons do when something of one owner is due. */
export const CRONS: Record<string, Act> = {
  'purchases and checkouts that are due': async (me) => {
    for (const table of ['purchases', 'checkouts']) {
      await me.world.database.query(
        `update ${table} set reconcile_at = now() where paywall_id in (select id from paywalls where owner_id = $1 and is_test)
           and reconcile_at is not null`,
        [me.id],
      )
    }
    await me.world.workers.scheduled('reconcile')
  },
  ...PENDING_CRONS,
  'a webhook endpoint whose secret cannot be decrypted': async (me) => {
    const { database, workers } = me.world
    const { rows } = await database.query<{ secret: string }>(
      `update webhook_endpoints w set secret = 'x' from webhook_endpoints before
       where w.id = before.id and w.owner_id = $1 and w.is_test returning before.secret`,
      [me.id],
    )
    await changeBalance(me.world, { email: BOB })
    await workers.scheduled('deliver-events')
    const held = 'select from webhook_endpoints where owner_id = $1 and is_test and held_until is not null'
    await until('the endpoint is held', async () => (await database.query(held, [me.id])).rowCount === 1)
    await database.query('update webhook_endpoints set secret = $2 where owner_id = $1 and is_test', [
      me.id,
      rows[0]?.secret,
    ])
    await deliverPending(me)
  },
  'a webhook endpoint that answers 410': async (me) => {
    me.world.receiver.answer = () => ({ status: 410 })
    await changeBalance(me.world, { email: BOB })
    await me.world.workers.scheduled('deliver-events')
    me.world.receiver.answer = () => ({})
    await deliverPending(me)
  },
  'data that has expired': async (me) => {
    await ageByTwoYears(me.world.database, me)
    await me.world.workers.scheduled('purge-expired')
    await me.world.workers.scheduled('reconcile')
  },
  'a subscription that its processor fails to cancel for a day': async (me) => {
    await makeSubscriptionsDue(me, "stop_requested_at = now() - interval '25 hours'")
    me.world.stripe.onCall = async () => UNAVAILABLE
    await me.world.workers.scheduled('reconcile')
    me.world.stripe.onCall = undefined
  },
  'a processor that answers 503 with Retry-After': async (me) => {
    await makeSubscriptionsDue(me, 'stop_requested_at = null')
    me.world.stripe.onCall = async () => ({ ...UNAVAILABLE, headers: { 'retry-after': '1' } })
    await me.world.workers.scheduled('reconcile')
    me.world.stripe.onCall = undefined
  },
}

const UNAVAILABLE = { status: 503, headers: {}, body: '{"error":{"type":"api_error"}}' }

async function makeSubscriptionsDue({ world: { database }, shops }: Owner, change: string): Promise<void> {
  const { rowCount } = await database.query(
    `update purchases set ${change}, reconcile_at = now() where paywall_id = $1 and interval is not null and status = 'active'`,
    [shops.stripe.paywall.id],
  )
  if (!rowCount) throw new Error('no subscription is active')
}

/** Enables the owner's webhook endpoint again, whatever an attempt that is still running does to it. */
async function deliverPending({ world: { database, workers }, id }: Owner): Promise<void> {
  await until('pending events are delivered', async () => {
    await database.query(
      'update webhook_endpoints set held_until = null, disabled_at = null where owner_id = $1 and is_test',
      [id],
    )
    const { rowCount } = await database.query(
      `update deliveries d set next_attempt_at = now(), locked_until = null from webhook_endpoints w
       where w.id = d.endpoint_id and w.owner_id = $1 and w.is_test and d.state = 'pending' and d.next_attempt_at is not null`,
      [id],
    )
    await workers.scheduled('deliver-events')
    return rowCount === 0
  })
}

/** Moves all times in an owner's rows two years into the past. */
async function ageByTwoYears(database: Pick<pg.ClientBase, 'query'>, { id, isTest }: Owner): Promise<void> {
  const { rows } = await database.query<{ name: string; column: string; type: string }>(`
    select c.relname as name, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, a.atttypmod) like 'timestamp with time zone%'`)
  for (const { name, column, type } of rows) {
    const earlier = type.endsWith('[]')
      ? `array(select at - interval '2 years' from unnest(${column}) at)`
      : `${column} - interval '2 years'`
    await database.query(`update ${name} t set ${column} = ${earlier} where ${await isOfOwner(database, name)}`, [
      id,
      isTest,
    ])
  }
}
