import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import type { Webhook } from '../../conformance/drivers/driver.ts'
import { sendWebhook } from '../../conformance/webhook.ts'
import { until } from '../../support/until.ts'
import type { Act, Owner } from './owner.ts'
import { BOB } from './people.ts'

// Two webhooks that stay pending, the same for each owner: one about a subscription that its processor does not have yet, and one
// about a licence and its buyer's address, received while its processor is unreachable.

const CREATED = '2026-11-01T08:00:00Z'
const SUBSCRIPTION = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6a'
const subscriptionWebhook = (): Webhook => ({
  id: 'evt-unread',
  body: JSON.stringify({
    type: 'subscription.updated',
    timestamp: CREATED,
    data: { id: SUBSCRIPTION, created_at: CREATED },
  }),
  at: new Date(),
})

const licenceWebhook = (): Webhook => ({
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
  const { status } = await sendWebhook(
    shops[acquiring],
    acquiring === 'polar' ? subscriptionWebhook() : licenceWebhook(),
  )
  if (status !== 200) throw new Error(`webhook not accepted: ${status}`)
}

const ON_TEST_PAYWALLS = 'paywall_id in (select id from paywalls where owner_id = $1 and is_test)'

/** Sets when the owner's pending events are due, as an SQL expression. */
const setDueAt = ({ world, id }: Owner, time: string, receivedAt = 'received_at') =>
  world.database.query(
    `update pending_events set due_at = ${time}, received_at = ${receivedAt} where ${ON_TEST_PAYWALLS}`,
    [id],
  )

const readPending = async ({ world, id }: Owner) =>
  (await world.database.query(`select acquiring, sold_to, due_at from pending_events where ${ON_TEST_PAYWALLS}`, [id]))
    .rows

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
    await setDueAt(me, "now() + interval '1 day'")
    if (!(await readPending(me)).some(({ sold_to }) => sold_to === BOB))
      throw new Error('no pending event has the address')
  },
}

/** Stripe asks for a pause instead of saying which purchase was refunded. */
async function refundDuringPause({ world, shops: { stripe } }: Owner): Promise<void> {
  const [refund] = stripe.emulator.events.filter((event) => JSON.stringify(event).includes('"refund.created"'))
  world.stripe.onCall = async () => ({ status: 429, headers: { 'Retry-After': '1' }, body: '{}' })
  const { status } = await sendWebhook(stripe, { id: 'evt-paused', body: JSON.stringify(refund), at: new Date() })
  world.stripe.onCall = undefined
  if (status !== 502) throw new Error(`webhook answered with ${status}`)
}

export const PENDING_CRONS: Record<string, Act> = {
  'a refund whose purchase cannot be looked up yet': refundDuringPause,
  'a pending event that is due and is received again': async (me) => {
    await setDueAt(me, 'now()')
    const before = await dueAtPolar(me)
    await receive(me, 'polar')
    await until('the event is processed', async () => (await dueAtPolar(me)) !== before)
  },
  'a pending event that is not about one of our purchases': async (me) => {
    await setDueAt(me, 'now()', "now() - interval '11 minutes'")
    await me.world.workers.scheduled('reconcile')
    if ((await readPending(me)).length > 0) throw new Error('an event is still pending')
  },
}
