import type { Webhook } from '../../conformance/drivers/driver.ts'
import { sendWebhook } from '../../conformance/webhook.ts'
import { until } from '../../support/until.ts'
import type { Act, Owner } from './owner.ts'

// A webhook about a subscription that its processor does not have yet: the same one for each owner.

const CREATED = '2026-11-01T08:00:00Z'
const SUBSCRIPTION = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6a'
const unread = (): Webhook => ({
  id: 'evt-unread',
  body: JSON.stringify({
    type: 'subscription.updated',
    timestamp: CREATED,
    data: { id: SUBSCRIPTION, created_at: CREATED },
  }),
  at: new Date(),
})

async function receive(me: Owner): Promise<void> {
  const { status } = await sendWebhook(me.shops.polar, unread())
  if (status !== 200) throw new Error(`not kept: ${status}`)
}

const OF_TEST = 'paywall_id in (select id from paywalls where owner_id = $1 and is_test)'

/** Makes the owner's events wait until a time, as an SQL expression. */
const waitUntil = ({ world, id }: Owner, time: string, receivedAt = 'received_at') =>
  world.database.query(`update pending_events set due_at = ${time}, received_at = ${receivedAt} where ${OF_TEST}`, [id])

const pendingOf = async ({ world, id }: Owner) =>
  (await world.database.query(`select due_at from pending_events where ${OF_TEST}`, [id])).rows

export const WAITING: Record<string, Act> = {
  'a webhook whose purchase cannot be read yet': async (me) => {
    await receive(me)
    await waitUntil(me, "now() + interval '1 day'")
  },
}

export const READ_AT_LAST: Record<string, Act> = {
  'what waits is due, and comes once more': async (me) => {
    await waitUntil(me, 'now()')
    const [before] = await pendingOf(me)
    await receive(me)
    await until('it is read', async () => {
      const [now] = await pendingOf(me)
      return now?.due_at.getTime() !== before?.due_at.getTime()
    })
  },
  'what waits concerns nothing of ours': async (me) => {
    await waitUntil(me, 'now()', "now() - interval '11 minutes'")
    await me.world.workers.scheduled('reconcile')
    if ((await pendingOf(me)).length > 0) throw new Error('it still waits')
  },
}
