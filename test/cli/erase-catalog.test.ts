import { expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { open } from '../conformance/buyer.ts'
import { shopAt, soldThrough } from '../conformance/shop.ts'
import { anonymousBuyer } from '../support/anonymous.ts'
import { newEmail, press } from '../support/checkout.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { allRows } from '../support/user-in-every-table.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const OURS = 'our own id, name or word: it says nothing of a person'
const PRICE = 'of the price, not of who bought'
const PROCESSORS = 'an id that the processor gave: who it is only the processor knows'
const HASH = 'a hash of what was sent, for 25 hours'
const STAYS = 'an address of the owner’s or of ours; of the first two the query goes'

/**
 * What `users erase` does with each column that can hold a text: `erased`, or why it is kept. Whoever adds a column decides here,
 * and erases it in cli/users/erase.ts if it can say who somebody is.
 */
const DECIDED: Record<string, Record<string, string>> = {
  users: { email: 'erased', external_id: 'erased' },
  members: { paywall_id: OURS, name: 'erased', meta: 'erased', buyer_meta: 'erased' },
  checkouts: {
    paywall_id: OURS,
    price_id: OURS,
    acquiring: OURS,
    country: 'one of 249, of a purchase that stays',
    local_currency: PRICE,
    customer: PROCESSORS,
    customers: PROCESSORS,
    hosted_page_id: PROCESSORS,
    currency: PRICE,
    processor_price: PRICE,
    success_url: 'erased',
    error_url: 'erased',
    shop_url: 'erased',
    url: 'erased',
    former_email: 'erased',
    return_origin: STAYS,
  },
  checkout_claims: { paywall_id: OURS, caller: 'our own id of the user, for 25 hours', request_hash: HASH },
  purchases: {
    paywall_id: OURS,
    price_id: OURS,
    acquiring: OURS,
    status: OURS,
    interval: PRICE,
    currency: PRICE,
    processor_id: PROCESSORS,
    processor_customer: PROCESSORS,
    cancellation_reason: 'erased',
    buyer_email: 'erased',
    versions: PROCESSORS,
    processor_price: PRICE,
  },
  payments: {
    paywall_id: OURS,
    acquiring: OURS,
    processor_payment: PROCESSORS,
    fact_id: PROCESSORS,
    kind: OURS,
    currency: PRICE,
  },
  pending_events: {
    paywall_id: OURS,
    acquiring: OURS,
    kind: OURS,
    event_id: PROCESSORS,
    processor_id: PROCESSORS,
    sold_to: 'erased',
    versions: PROCESSORS,
    payment: 'ids that the processor gave, an amount and its currency',
  },
  credited_periods: { price_id: OURS, credited: 'counts of tokens by type', given_back: 'counts of tokens by type' },
  balances: { paywall_id: OURS, type: 'the owner’s name of a kind of tokens' },
  ledger: { paywall_id: OURS, type: 'the owner’s name of a kind of tokens', reason: OURS, reference: OURS },
  tickets: { paywall_id: OURS, customer_email: 'erased', subject: 'erased', content: 'erased', status: OURS },
  ticket_attachments: { object_key: 'erased', file_name: 'erased', media_type: 'erased' },
  ticket_quotas: { paywall_id: OURS, who: 'erased' },
  sign_in_challenges: { challenge_hash: 'erased', paywall_id: OURS, email: 'erased', code_hash: 'erased' },
  sign_in_sessions: { paywall_id: OURS, token_hash: 'erased', previous_hash: 'erased' },
  rate_limits: { name: OURS, key: 'erased' },
  events: { id: OURS, paywall_id: OURS, type: OURS, body: 'erased' },
  deliveries: { event_id: OURS, paywall_id: OURS, state: OURS, last_error: 'how a POST to the owner failed' },
}

/** The tables that have nothing of a user, and why. Whoever adds a table decides here, or above. */
const OF_NOBODY: Record<string, string> = {
  owners: 'who sells',
  api_keys: 'of an owner',
  processors: 'names of processors',
  paywalls: 'of an owner',
  processor_accounts: 'of an owner',
  turnstile_keys: 'of an owner',
  prices: 'of an owner',
  processor_events: 'ids that a processor gave its events',
  balance_replies: 'counts of tokens, for 25 hours, of nobody who is named',
  webhook_endpoints: 'of an owner',
  releases: 'of this service',
  kysely_migration: 'of this service',
  kysely_migration_lock: 'of this service',
}

test('every table with a user is in the list above, or has none and a reason', async () => {
  const { rows } = await world.database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const tables = [...Object.keys(DECIDED), ...Object.keys(OF_NOBODY)]
  expect(tables.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

test('every column that can hold a text, of every table that has a user, is decided: erased, or kept with a reason', async () => {
  const { rows } = await world.database.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relname = any ($1) and a.attnum > 0 and not a.attisdropped
       and a.atttypid = any (array['text', 'text[]', 'json', 'jsonb', 'varchar', 'bpchar', 'bytea', 'xml', 'inet']::regtype[])
     order by 1, 2`,
    [Object.keys(DECIDED)],
  )
  const stored = rows.map(({ table, column }) => `${table}.${column}`)
  const decided = Object.entries(DECIDED).flatMap(([table, columns]) =>
    Object.keys(columns).map((each) => `${table}.${each}`),
  )
  expect(
    stored.filter((each) => !decided.includes(each)),
    'nobody has decided',
  ).toEqual([])
  expect(
    decided.filter((each) => !stored.includes(each)),
    'there is no such column',
  ).toEqual([])
})

test('the buyer’s address in and beside the address of a hosted page goes, and is exported before', async () => {
  const { user } = await anonymousBuyer(world)
  await world.database.query(
    `update checkouts set url = 'https://checkout.example/1?user_email=zq-person%40example.com',
      former_email = 'zq-person@example.com' where user_id = $1`,
    [user.id],
  )
  const owner = world.file.owner.email
  const exported = await paywall(world, ['users', 'export', 'zq-person@example.com', '--owner', owner])
  expect(JSON.parse(exported.out).checkouts).toMatchObject([{ user_id: user.id }])
  expect(await paywall(world, ['users', 'erase', user.id, '--owner', owner, '--yes'])).toMatchObject({ code: 0 })
  expect((await allRows(world)).filter((row) => row.includes('zq-person'))).toEqual([])
})

test('an address that waits in a processor’s event goes, and is exported before', async () => {
  const file = await paywallFile({ webhooks: [], paywalls: [soldThrough('freemius')] })
  await world.apply(file)
  const [sold] = file.paywalls
  const shop = shopAt(world, sold!, sold!, file.keys[0]!.secret!)
  const buyer = await open(shop, 'monthly', { email: `zq-waiting-${newEmail()}` })
  const run = (...args: string[]) => paywall(world, ['users', ...args, '--owner', file.owner.email])
  world.freemius.onCall = async () => {
    throw new DroppedCall()
  }
  await press(buyer.checkoutUrl, 'pay')
  await world.freemius.drainWebhooks()
  const waiting = async () => (await allRows(world)).filter((row) => row.includes('zq-waiting'))
  expect((await waiting()).filter((row) => row.startsWith('pending_events: '))).not.toEqual([])

  const { out } = await run('export', buyer.email)
  expect(JSON.parse(out).pending_events).toContainEqual(expect.objectContaining({ sold_to: buyer.email }))
  expect(await run('erase', buyer.email, '--yes')).toMatchObject({ code: 0 })
  expect(await waiting()).toEqual([])
})
