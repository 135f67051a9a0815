import { type Filler, ownedWith, type Rows } from './insert.ts'
import { filledId } from './users.ts'

/** How many milliseconds apart the events are: 10^7 take up some 58 days. */
const APART_MS = 500

/** Of how many deliveries one has failed, and of how many one has an attempt that is kept. */
const FAILED_OF = 1_000
const ATTEMPTED_OF = 100

/** SQL for the id of the delivered event with a number: the newest is 1. */
const deliveredId = (number: string): string => `'evt_' || md5('delivered-' || ${number})`

/** Events about filled users, in turn, that were delivered over the last weeks. A few deliveries have failed. */
export async function fillDeliveredEvents(
  filler: Filler,
  rows: Rows,
  { paywallId, webhookUrl, users }: { paywallId: string; webhookUrl: string; users: number },
): Promise<void> {
  const [webhookEndpoint] = await filler.run('select id from webhook_endpoints where url = $1', [webhookUrl])
  if (!webhookEndpoint) throw new Error(`no webhook endpoint has the address ${webhookUrl}`)
  const endpoint = `'${webhookEndpoint.id}'::uuid`
  const at = `now() - n * interval '${APART_MS} milliseconds'`
  const hasFailed = `n % ${FAILED_OF} = 0`
  const about = {
    paywall_id: `'${paywallId}'`,
    user_id: filledId(`1 + (n - 1) % ${users}`),
    sequence: `1000000 - (n - 1) / ${users}`,
  }
  const id = deliveredId('n')
  await filler.insert('events', rows, {
    ...ownedWith(paywallId),
    ...about,
    id,
    type: `case n % 3 when 0 then 'payment.succeeded' when 1 then 'subscription.renewed' else 'balance.changed' end`,
    body: `json_build_object('id', ${id}, 'data', json_build_object('text', repeat('x', 600)))::text`,
    position: '1000000000 - n',
    created_at: at,
    purge_at: `now() + interval '30 days'`,
  })
  await filler.insert('deliveries', rows, {
    ...about,
    event_id: id,
    endpoint_id: endpoint,
    state: `case when ${hasFailed} then 'failed' else 'delivered' end`,
    attempts: `case when ${hasFailed} then 10 else 1 end`,
    last_status: `case when ${hasFailed} then 500 else 200 end`,
    finished_at: at,
  })
  const attempted = { from: Math.ceil(rows.from / ATTEMPTED_OF), to: Math.floor(rows.to / ATTEMPTED_OF) }
  await filler.insert('delivery_attempts', attempted, {
    owner_id: ownedWith(paywallId).owner_id,
    event_id: deliveredId(`(n * ${ATTEMPTED_OF})`),
    endpoint_id: endpoint,
    attempt: '1',
    attempted_at: at,
    milliseconds: '40',
    status: '200',
    response: `repeat('x', 200)`,
  })
}

/** Tickets of filled users, and acts of the team on them. */
export async function fillTicketsAndActs(filler: Filler, rows: Rows, paywallId: string): Promise<void> {
  const about = { user_id: filledId('n') }
  await filler.insert('tickets', rows, {
    ...about,
    paywall_id: `'${paywallId}'`,
    subject: `'It does not load ' || n`,
    content: `repeat('x', 500)`,
    status: `case when n % 10 = 0 then 'open' else 'closed' end`,
  })
  await filler.insert('audit_log', rows, {
    ...about,
    ...ownedWith(paywallId),
    email: `'owner@bench.example'`,
    role: `'admin'`,
    act: `'sign_out_user'`,
    subject: `'user ' || n`,
    reason: `'A benchmark'`,
  })
}
