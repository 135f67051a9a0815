import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import type { Webhook } from '../../conformance/drivers/driver.ts'
import { sendWebhook } from '../../conformance/webhook.ts'
import { until } from '../../support/until.ts'
import type { Act, Owner } from './owner.ts'
import { BOB } from './people.ts'

// A webhook about a subscription that its processor does not have yet, and one about a licence, with the address that it was sold
// to, while its processor cannot be asked: the same ones for each owner.

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

const sold = (): Webhook => ({
  id: 'evt-sold',
  body: JSON.stringify({
    id: '8001',
    type: 'license.created',
    created: '2026-11-01 08:00:00',
    objects: { license: { id: '9001' }, user: { id: '9101', email: BOB } },
  }),
  at: new Date(),
})

async function receive({ shops }: Owner, acquiring: 'polar' | 'freemius'): Promise<void> {
  const { status } = await sendWebhook(shops[acquiring], acquiring === 'polar' ? unread() : sold())
  if (status !== 200) throw new Error(`not kept: ${status}`)
}

const OF_TEST = 'paywall_id in (select id from paywalls where owner_id = $1 and is_test)'

/** Makes the owner's events wait until a time, as an SQL expression. */
const waitUntil = ({ world, id }: Owner, time: string, receivedAt = 'received_at') =>
  world.database.query(`update pending_events set due_at = ${time}, received_at = ${receivedAt} where ${OF_TEST}`, [id])

const readPending = async ({ world, id }: Owner) =>
  (await world.database.query(`select acquiring, sold_to, due_at from pending_events where ${OF_TEST}`, [id])).rows

const dueAtPolar = async (me: Owner) =>
  (await readPending(me)).find(({ acquiring }) => acquiring === 'polar')?.due_at.getTime()

export const WAITING: Record<string, Act> = {
  'webhooks whose purchases cannot be read yet': async (me) => {
    await receive(me, 'polar')
    me.world.freemius.onCall = async () => {
      throw new DroppedCall()
    }
    await receive(me, 'freemius')
    me.world.freemius.onCall = undefined
    await waitUntil(me, "now() + interval '1 day'")
    if (!(await readPending(me)).some(({ sold_to }) => sold_to === BOB)) throw new Error('no address waits')
  },
}

export const READ_AT_LAST: Record<string, Act> = {
  'what waits is due, and comes once more': async (me) => {
    await waitUntil(me, 'now()')
    const before = await dueAtPolar(me)
    await receive(me, 'polar')
    await until('it is read', async () => (await dueAtPolar(me)) !== before)
  },
  'what waits concerns nothing of ours': async (me) => {
    await waitUntil(me, 'now()', "now() - interval '11 minutes'")
    await me.world.workers.scheduled('reconcile')
    if ((await readPending(me)).length > 0) throw new Error('it still waits')
  },
}
