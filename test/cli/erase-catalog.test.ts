import { afterAll, beforeAll, expect, test } from 'vitest'
import { anonymousBuyer } from '../support/anonymous.ts'
import { paywall } from '../support/paywall.ts'
import { allRows } from '../support/somebody.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

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
    ...{
      paywall_id: OURS,
      price_id: OURS,
      acquiring: OURS,
      country: 'one of 249, of a purchase that stays',
      local_currency: PRICE,
    },
    ...{ customer: PROCESSORS, customers: PROCESSORS, session_id: PROCESSORS, currency: PRICE, processor_price: PRICE },
    ...{ success_url: 'erased', error_url: 'erased', shop_url: 'erased', url: 'erased', return_origin: STAYS },
  },
  checkout_claims: { paywall_id: OURS, caller: 'our own id of the user, for 25 hours', request_hash: HASH },
  purchases: {
    ...{ paywall_id: OURS, price_id: OURS, acquiring: OURS, status: OURS, interval: PRICE, currency: PRICE },
    ...{
      processor_id: PROCESSORS,
      processor_customer: PROCESSORS,
      cancellation_reason: 'erased',
      buyer_email: 'erased',
      versions: PROCESSORS,
      processor_price: PRICE,
    },
  },
  payments: {
    paywall_id: OURS,
    acquiring: OURS,
    processor_payment: PROCESSORS,
    fact_id: PROCESSORS,
    kind: OURS,
    currency: PRICE,
  },
  credited_periods: { price_id: OURS, credited: 'counts of tokens by type', given_back: 'counts of tokens by type' },
  balances: { paywall_id: OURS, type: 'the owner’s name of a kind of tokens' },
  ledger: { paywall_id: OURS, type: 'the owner’s name of a kind of tokens', reason: OURS, reference: OURS },
  tickets: { paywall_id: OURS, customer_email: 'erased', subject: 'erased', content: 'erased', status: OURS },
  ticket_attachments: { object_key: 'erased', file_name: 'erased', media_type: 'erased' },
  ticket_quotas: { paywall_id: OURS, who: 'erased' },
  mailed_codes: { request_hash: 'erased', paywall_id: OURS, email: 'erased', code_hash: 'erased' },
  sign_in_sessions: { paywall_id: OURS, token_hash: 'erased', previous_hash: 'erased' },
  budgets: { what: OURS, who: 'erased' },
  events: { id: OURS, paywall_id: OURS, type: OURS, body: 'erased' },
  deliveries: { event_id: OURS, paywall_id: OURS, state: OURS, last_error: 'how a POST to the owner failed' },
}

test('every column that can hold a text, of every table that has a user, is decided: erased, or kept with a reason', async () => {
  const { rows } = await world.database.query<{ table: string; column: string }>(
    `with recursive of_user as (
       select 'users'::regclass::oid as oid
       union
       select a.attrelid from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'owners'
         and a.attname in ('user_id', 'who', 'caller', 'email', 'customer_email') and not a.attisdropped
       union
       select f.conrelid from pg_constraint f join of_user u on f.confrelid = u.oid where f.contype = 'f'
     )
     select c.relname as table, a.attname as column
     from of_user join pg_class c using (oid) join pg_attribute a on a.attrelid = c.oid
     where a.attnum > 0 and not a.attisdropped
       and a.atttypid = any (array['text', 'text[]', 'json', 'jsonb', 'varchar', 'bpchar', 'bytea', 'xml', 'inet']::regtype[])
     order by 1, 2`,
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

test('the address of a hosted page goes, which a processor may want the buyer’s address in', async () => {
  const { user } = await anonymousBuyer(world)
  await world.database.query(
    `update checkouts set url = 'https://checkout.example/1?user_email=zq-person%40example.com' where user_id = $1`,
    [user.id],
  )
  const owner = world.file.owner.email
  expect(await paywall(world, ['users', 'erase', user.id, '--owner', owner, '--yes'])).toMatchObject({ code: 0 })
  expect((await allRows(world)).filter((row) => row.includes('zq-person'))).toEqual([])
})
