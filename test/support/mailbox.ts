import { randomBytes, randomUUID } from 'node:crypto'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import type { Received } from '../../dev/world/pages/received.ts'
import type { ReceiverResponse } from '../../dev/world/pages/receiver.ts'
import { paywallFile } from './paywall-file.ts'
import { changeBalance } from './token-calls.ts'
import type { TestWorld } from './world.ts'

/** A delivery, as in its row. */
export interface DeliveryRow {
  event_id: string
  state: string
  attempts: number
  last_status: number | null
  last_error: string | null
  /** Seconds until the next attempt. */
  due_in: number
}

/** An owner's webhook endpoint at the world's receiver, and a member of its paywall to emit events about. */
export interface Mailbox {
  readonly url: string
  readonly secret: string
  /** The file that it was applied with. */
  readonly file: PaywallFile
  /** Sets how it responds from now on; 200 by default. */
  answer: (received: Received) => ReceiverResponse | Promise<ReceiverResponse>
  /** What has arrived, oldest first. */
  received(): Received[]
  /** The ids of the events that have arrived, oldest first. */
  ids(): string[]
  /** Writes `count` more events about the member, or about `about`, without a queue message. Returns their ids. */
  addEvents(count?: number, about?: string): Promise<string[]>
  /** Credits the member one token as the owner: emits an event, and a message that wakes the consumer. */
  credit(about?: string): Promise<void>
  /** Another member of the paywall. */
  newMember(): Promise<string>
  deliveries(): Promise<DeliveryRow[]>
  /** Moves the paywall's clock by a span such as `6m`, and attempts what falls due. */
  passes(by: string): Promise<unknown>
  /** Ends leases and holds, which use the real time. */
  endLeases(): Promise<void>
}

const mailboxes = new WeakMap<TestWorld, Map<string, Mailbox>>()

/** Applies a paywall file of its own owner; `url` is a webhook endpoint elsewhere. */
export async function openWebhookEndpoint(world: TestWorld, options: { url?: string } = {}): Promise<Mailbox> {
  const path = `/webhooks/${randomUUID()}`
  const url = options.url ?? `${world.receiver.url}${path}`
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const file = await paywallFile({ webhooks: [{ url, secret, events: ['*', 'balance.changed'] }] })
  await world.apply(file)
  const paywallId = file.paywalls[0]!.id
  const member = await addMember(world, paywallId)
  const mailbox: Mailbox = {
    url,
    secret,
    file,
    answer: () => ({}),
    received: () => world.receiver.received.filter((arrived) => arrived.path === path),
    ids: () => mailbox.received().map(({ headers }) => headers['webhook-id'] ?? ''),
    addEvents: (count = 1, about = member) => addEvents(world, paywallId, about, count),
    async credit(about = member) {
      const owner = { paywallId, key: file.keys[0]!.secret! }
      const { status } = await changeBalance(world, { user_id: about }, owner)
      if (status !== 200) throw new Error(`a credit was answered ${status}`)
    },
    newMember: () => addMember(world, paywallId),
    deliveries: () => readDeliveries(world, paywallId),
    passes: (by) => world.clock.advance(paywallId, by),
    async endLeases() {
      await world.database.query(
        "update deliveries set locked_until = null where paywall_id = $1 and state = 'pending'",
        [paywallId],
      )
      await world.database.query('update webhook_endpoints set held_until = null where url = $1', [url])
    },
  }
  const known = mailboxes.get(world) ?? new Map<string, Mailbox>()
  mailboxes.set(world, known.set(path, mailbox))
  world.receiver.answer = (received) => known.get(received.path)?.answer(received) ?? {}
  return mailbox
}

/** Runs the cron of deliver-events, and resolves when it has finished. */
export const runDeliveryCron = (world: TestWorld) => world.workers.scheduled('deliver-events')

async function addMember(world: TestWorld, paywallId: string): Promise<string> {
  const { rows } = await world.database.query<{ user_id: string }>(
    `with person as (insert into users (owner_id, is_test) select owner_id, is_test from paywalls where id = $1 returning *)
     insert into members (paywall_id, user_id, owner_id, is_test) select $1, id, owner_id, is_test from person returning user_id`,
    [paywallId],
  )
  return rows[0]!.user_id
}

async function addEvents(world: TestWorld, paywallId: string, userId: string, count: number): Promise<string[]> {
  const { rows } = await world.database.query<{ id: string }>(
    `with numbered as (
      update members set event_sequence = event_sequence + $3 where paywall_id = $1 and user_id = $2
      returning event_sequence - $3 as before
    ), written as (
      insert into events (id, owner_id, is_test, paywall_id, user_id, sequence, type, body)
      select 'evt_' || replace(gen_random_uuid()::text, '-', ''), p.owner_id, p.is_test, p.id, $2, before + n, 'ticket.created',
        json_build_object('sequence', before + n, 'text', 'ünïcödé 😀')::text
      from paywalls p, numbered, generate_series(1, $3::bigint) n where p.id = $1
      returning id, sequence
    ), queued as (
      insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence, next_attempt_at)
      select w.id, e.id, p.id, $2, w.sequence, case when w.sequence = (
        select min(sequence) from (
          select sequence from written union all
          select d.sequence from deliveries d where (d.endpoint_id, d.user_id, d.state) = (e.id, $2, 'pending')) waiting
      ) then now() end
      from written w, paywalls p join webhook_endpoints e on e.owner_id = p.owner_id and e.disabled_at is null
      where p.id = $1
    )
    select id from written order by sequence`,
    [paywallId, userId, count],
  )
  return rows.map(({ id }) => id)
}

async function readDeliveries(world: TestWorld, paywallId: string): Promise<DeliveryRow[]> {
  const { rows } = await world.database.query<DeliveryRow>(
    `select event_id, state, attempts, last_status, last_error,
      extract(epoch from next_attempt_at - now())::double precision as due_in
     from deliveries where paywall_id = $1 order by user_id, sequence`,
    [paywallId],
  )
  return rows
}
