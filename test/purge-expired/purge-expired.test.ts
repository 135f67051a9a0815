import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buy, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { type Mailbox, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { parseSession, refresh, requestCode, signInAnonymously } from '../support/sign-in.ts'
import { MESSAGE, sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ writesUndocumentedEvents: true })

const purgeExpired = () => world.workers.scheduled('purge-expired')

const EventBody = z.looseObject({
  type: z.string(),
  data: z.looseObject({ ticket: z.looseObject({}).optional(), payment: z.looseObject({}).optional() }),
})
type EventBody = z.output<typeof EventBody>

const TABLES = [
  'idempotent_replies',
  'checkout_claims',
  'ticket_quotas',
  'sign_in_challenges',
  'sign_in_sessions',
  'deliveries',
]

async function countRows(): Promise<number[]> {
  const counts = TABLES.map((table) => `(select count(*)::int from ${table})`)
  const { rows } = await world.database.query<{ counts: number[] }>(`select array[${counts.join()}] as counts`)
  return rows[0]!.counts
}

/** Makes everything that can expire older by this time. */
async function age(time: string): Promise<void> {
  await world.database.query(`
    update idempotent_replies set created_at = created_at - interval '${time}';
    update checkout_claims set claimed_at = claimed_at - interval '${time}';
    update ticket_quotas set opened = array(select at - interval '${time}' from unnest(opened) at);
    update sign_in_challenges set expires_at = expires_at - interval '${time}';
    update sign_in_sessions set expires_at = expires_at - interval '${time}', ended_at = ended_at - interval '${time}';
    update deliveries set finished_at = finished_at - interval '${time}'`)
}

test('rows are kept while they are in use, and deleted once they have expired', async () => {
  const newIdempotencyKey = () => ({ headers: { 'idempotency-key': randomUUID() } })
  const { userId } = parseOpened(
    await startCheckout(world, { paywall: world.paywall, key: world.key, ...newIdempotencyKey() }),
  )
  const [kept, ended] = [await signInAnonymously(world), await signInAnonymously(world)]
  expect(await changeBalance(world, { user_id: userId }, newIdempotencyKey())).toMatchObject({ status: 200 })
  expect(await requestCode(world, newEmail())).toMatchObject({ status: 200 })
  ticketId(await sendForm(world, ticketForm({ ...MESSAGE, customer_email: newEmail() })))
  await untilAllDelivered(world)
  // Reusing a refresh token that was replaced twice ends its session.
  parseSession(await refresh(world, parseSession(await refresh(world, ended.refreshToken)).refreshToken))
  expect(await refresh(world, ended.refreshToken)).toMatchObject({ status: 400 })

  const all = [1, 1, 1, 1, 2, 1]
  const rowsByHour: Record<string, number[]> = {}
  let passed = 0
  for (const hours of [0, 0.9, 1.5, 24.5, 25.5, 719, 720.5]) {
    await age(`${hours - passed} hours`)
    passed = hours
    await purgeExpired()
    rowsByHour[hours] = await countRows()
  }
  expect(rowsByHour).toEqual({
    0: all,
    0.9: all,
    1.5: [1, 1, 1, 0, 1, 1],
    24.5: [1, 1, 1, 0, 1, 1],
    25.5: [0, 0, 0, 0, 1, 1],
    719: [0, 0, 0, 0, 1, 1],
    720.5: [0, 0, 0, 0, 1, 0],
  })
  expect(await refresh(world, ended.refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await age('-48 hours')
  parseSession(await refresh(world, kept.refreshToken))
})

test('a run continues until no expired row is left', async () => {
  await world.database.query(
    `insert into idempotent_replies (paywall_id, idempotency_key, request_hash, reply, created_at)
     select $1, gen_random_uuid(), repeat('0', 64), '{}', now() - interval '26 hours' from generate_series(1, 120000)`,
    [world.paywall.id],
  )
  await purgeExpired()
  const { rows } = await world.database.query(
    `select from idempotent_replies where created_at <= now() - interval '25 hours' limit 1`,
  )
  expect(rows).toEqual([])
})

describe('personal data is removed from an event', () => {
  const address = newEmail()
  let mailbox: Mailbox
  let personId: string

  /** The bodies of the paywall's events about the person, by type. */
  async function readBodies(): Promise<Record<string, EventBody>> {
    const { rows } = await world.database.query<{ body: string }>(
      'select body from events where paywall_id = $1 and user_id = $2',
      [world.paywall.id, personId],
    )
    return Object.fromEntries(
      rows.map(({ body }) => EventBody.parse(JSON.parse(body))).map((each) => [each.type, each]),
    )
  }
  const ageEvents = (time: string) => world.database.query(`update events set purge_at = purge_at - interval '${time}'`)

  test('that was delivered, 30 days later: the e-mail address, the text of a ticket and the address of a receipt, and nothing else', async () => {
    const { userId } = await buy(world, { paywall: world.paywall, key: world.key, email: address })
    personId = userId
    const { token } = await signIn(world, { email: address })
    ticketId(await sendForm(world, ticketForm(MESSAGE), { token }))
    await untilAllDelivered(world)
    const before = await readBodies()
    expect(Object.keys(before)).toEqual(expect.arrayContaining(['subscription.created', 'ticket.created']))
    expect(JSON.stringify(before)).toContain(address)

    await ageEvents('29 days')
    await purgeExpired()
    expect(await readBodies()).toEqual(before)
    await ageEvents('1 day')
    await purgeExpired()
    const after = await readBodies()
    expect(JSON.stringify(after)).not.toContain(address)
    for (const [type, { data, ...rest }] of Object.entries(before)) {
      const user = { id: userId, email: null, external_id: null }
      const { ticket, payment } = data
      const kept = {
        ...(ticket && { ticket: { ...ticket, subject: '', content: '', customer_email: null, attachments: [] } }),
        ...(payment && { payment: { ...payment, receipt_url: null } }),
      }
      expect(after[type], type).toEqual({ ...rest, data: { ...data, user, ...kept } })
    }
  })

  test('that is pending for a disabled webhook endpoint only once it is delivered', async () => {
    mailbox = await openWebhookEndpoint(world)
    const data = { user: { id: null, email: address } }
    const body = JSON.stringify({ id: 'x', type: 'y', timestamp: 'z', is_test: true, data })
    const [id] = await mailbox.addEvents()
    await world.database.query('update events set body = $2 where id = $1', [id, body])
    await world.database.query('update webhook_endpoints set disabled_at = now() where url = $1', [mailbox.url])
    const read = async () => (await world.database.query('select body from events where id = $1', [id])).rows[0].body

    await ageEvents('31 days')
    await purgeExpired()
    expect(await read()).toBe(body)
    await world.database.query('update webhook_endpoints set disabled_at = null where url = $1', [mailbox.url])
    await runDeliveryCron(world)
    expect(mailbox.received().map((each) => each.body)).toEqual([body])
    await purgeExpired()
    expect(await read(), 'it is checked once a day').toBe(body)
    await ageEvents('1 day')
    await purgeExpired()
    expect(JSON.parse(await read())).toEqual({
      ...JSON.parse(body),
      data: { user: { id: null, email: null, external_id: null } },
    })
  })
})
