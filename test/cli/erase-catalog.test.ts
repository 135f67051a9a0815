import { expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { buy, cancelThroughApi, open } from '../conformance/buyer.ts'
import { paywallAt, shopAt } from '../conformance/shop.ts'
import { anonymousBuyer } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { getPriceId, newEmail, press } from '../support/checkout.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { allRows } from '../support/user-in-every-table.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const OURS = 'an id, name or status of ours: not personal data'
const PRICE = 'a property of the price, not of the buyer'
const PROCESSORS = 'an id of the processor, which only the processor can link to a person'
const HASH = 'a hash of the request, kept for 25 hours'
const URL_KEPT = 'a URL of the owner or of ours'

/**
 * What `users erase` does with each column that can contain text: `erased`, or why it is kept. Add new columns here, and to
 * cli/users/erase.ts if they can identify a person.
 */
const COLUMN_DECISIONS: Record<string, Record<string, string>> = {
  users: { email: 'erased', external_id: 'erased' },
  members: { paywall_id: OURS, name: 'erased', meta: 'erased', buyer_meta: 'erased' },
  checkouts: {
    paywall_id: OURS,
    price_id: OURS,
    acquiring: OURS,
    country: 'one of 249 countries, of a purchase that is kept',
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
    return_origin: URL_KEPT,
    options: OURS,
    offer: OURS,
  },
  checkout_claims: { paywall_id: OURS, caller: 'our own id of the user, kept for 25 hours', request_hash: HASH },
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
    scheduled_price_id: OURS,
  },
  refunds: {
    paywall_id: OURS,
    currency: PRICE,
    reason: 'erased',
    request_hash: HASH,
    processor_refund: PROCESSORS,
  },
  plan_changes: {
    paywall_id: OURS,
    from_price_id: OURS,
    to_price_id: OURS,
    processor_price: PRICE,
    currency: PRICE,
    takes_effect: OURS,
    options: OURS,
    caller: 'our own id of the user, kept for 25 hours',
    request_hash: HASH,
    reply: 'erased',
  },
  payments: {
    paywall_id: OURS,
    acquiring: OURS,
    processor_payment: PROCESSORS,
    price_id: OURS,
    fact_id: PROCESSORS,
    kind: OURS,
    currency: PRICE,
    receipt_url: 'erased',
  },
  pending_events: {
    paywall_id: OURS,
    acquiring: OURS,
    kind: OURS,
    event_id: PROCESSORS,
    processor_id: PROCESSORS,
    sold_to: 'erased',
    versions: PROCESSORS,
    payment: 'ids of the processor, amounts, a currency, and a receipt that is not stored for an erased user',
  },
  subscription_changes: { kind: OURS, currency: PRICE, price_slug: PRICE },
  grants: {
    paywall_id: OURS,
    price_id: OURS,
    reason: 'erased',
    granted_by: OURS,
    ended_by: OURS,
    end_reason: 'erased',
  },
  credited_periods: { price_id: OURS, credited: 'counts of tokens by type', given_back: 'counts of tokens by type' },
  balances: { paywall_id: OURS, type: 'the owner’s name for a token type' },
  ledger: { paywall_id: OURS, type: 'the owner’s name for a token type', reason: OURS, reference: OURS },
  tickets: { paywall_id: OURS, customer_email: 'erased', subject: 'erased', content: 'erased', status: OURS },
  ticket_attachments: { object_key: 'erased', file_name: 'erased', media_type: 'erased' },
  ticket_replies: { email: 'erased', content: 'erased' },
  ticket_quotas: { paywall_id: OURS, who: 'erased' },
  sign_in_challenges: { challenge_hash: 'erased', paywall_id: OURS, email: 'erased', code_hash: 'erased' },
  sign_in_sessions: { paywall_id: OURS, token_hash: 'erased', previous_hash: 'erased' },
  rate_limits: { name: OURS, key: 'erased' },
  audit_log: {
    email: 'of a member of the owner’s team',
    role: OURS,
    act: OURS,
    subject: 'an id, or the URL of a webhook endpoint',
    reason: 'erased',
  },
  events: { id: OURS, paywall_id: OURS, type: OURS, body: 'erased' },
  deliveries: { event_id: OURS, paywall_id: OURS, state: OURS, last_error: 'how a POST to the owner failed' },
  delivery_attempts: { event_id: OURS, error: 'how a POST to the owner failed', response: 'erased' },
}

/** The tables without data about users, and why. Add new tables here, or above. */
const TABLES_WITHOUT_USERS: Record<string, string> = {
  owners: 'the sellers',
  api_keys: 'of an owner',
  team_members: 'of an owner',
  exchange_rates: 'of an owner',
  figures: 'sums of what users have bought',
  pending_figures: 'the same before they are summed up, without ids of users or purchases',
  console_sessions: "of an owner's team",
  processors: 'names of processors',
  paywalls: 'of an owner',
  processor_accounts: 'of an owner',
  turnstile_keys: 'of an owner',
  prices: 'of an owner',
  offers: 'of an owner',
  offer_uses: 'ids of checkouts',
  processor_events: "ids of a processor's events",
  idempotent_replies: 'anonymous counts of tokens, and grants without their reasons, kept for 25 hours',
  webhook_endpoints: 'of an owner',
  releases: 'of this service',
  kysely_migration: 'of this service',
  kysely_migration_lock: 'of this service',
}

test('every table is listed, either with its columns or as one without data about users', async () => {
  const { rows } = await world.database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const tables = [...Object.keys(COLUMN_DECISIONS), ...Object.keys(TABLES_WITHOUT_USERS)]
  expect(tables.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

test('every text column of a table with data about users is listed as erased, or as kept with a reason', async () => {
  const { rows } = await world.database.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relname = any ($1) and a.attnum > 0 and not a.attisdropped
       and a.atttypid = any (array['text', 'text[]', 'json', 'jsonb', 'varchar', 'bpchar', 'bytea', 'xml', 'inet']::regtype[])
     order by 1, 2`,
    [Object.keys(COLUMN_DECISIONS)],
  )
  const stored = rows.map(({ table, column }) => `${table}.${column}`)
  const listed = Object.entries(COLUMN_DECISIONS).flatMap(([table, columns]) =>
    Object.keys(columns).map((each) => `${table}.${each}`),
  )
  expect(
    stored.filter((each) => !listed.includes(each)),
    'not listed',
  ).toEqual([])
  expect(
    listed.filter((each) => !stored.includes(each)),
    'there is no such column',
  ).toEqual([])
})

test('the buyer’s e-mail address in a hosted page’s URL and in `former_email` is exported, and erased', async () => {
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

test('the buyer’s e-mail address in the URL of a page that changes the plan is erased', async () => {
  const file = await paywallFile({ webhooks: [], paywalls: [paywallAt('freemius')] })
  await world.apply(file)
  const [sold] = file.paywalls
  const shop = shopAt(world, sold!, sold!, file.keys[0]!.secret!)
  const buyer = await buy(shop, 'monthly', { email: `zq-changing-${newEmail()}` })
  const path = `/api/v1/paywall/${sold!.id}/change-plan`
  const body = { userId: buyer.userId, priceId: getPriceId(sold!, 'plus') }
  const changed = await call(world, path, { key: shop.key, body })
  expect(JSON.stringify(changed.body)).toContain('zq-changing')
  await cancelThroughApi(buyer)
  const erased = await paywall(world, ['users', 'erase', buyer.email, '--owner', file.owner.email, '--yes'])
  expect(erased).toMatchObject({ code: 0 })
  expect((await allRows(world)).filter((row) => row.includes('zq-changing'))).toEqual([])
})

test('an e-mail address in a pending processor event is exported, and erased', async () => {
  const file = await paywallFile({ webhooks: [], paywalls: [paywallAt('freemius')] })
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
  const rowsWithAddress = async () => (await allRows(world)).filter((row) => row.includes('zq-waiting'))
  expect((await rowsWithAddress()).filter((row) => row.startsWith('pending_events: '))).not.toEqual([])

  const { out } = await run('export', buyer.email)
  expect(JSON.parse(out).pending_events).toContainEqual(expect.objectContaining({ sold_to: buyer.email }))
  expect(await run('erase', buyer.email, '--yes')).toMatchObject({ code: 0 })
  expect(await rowsWithAddress()).toEqual([])
})
