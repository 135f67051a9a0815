import { expect, test } from 'vitest'
import { call, type Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { attachmentKeys, MESSAGE, randomImage, sendForm, ticketForm, ticketPath } from '../support/tickets.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const asGuest = (customer_email: string) => () =>
  call(world, ticketPath(world.paywall.id), { body: { ...MESSAGE, customer_email } })
const asUser = (token: string) => () => call(world, ticketPath(world.paywall.id), { token, body: MESSAGE })

/** As many statements as the local Neon proxy runs at once. */
const MAX_CONCURRENT = 40

/** Calls all of them at once, starts their statements at the same moment, and counts the replies by status. */
async function race(senders: (() => Promise<Reply>)[]): Promise<Record<number, number>> {
  raceStatements(world, 'open_ticket', Math.min(senders.length, MAX_CONCURRENT))
  const replies = await Promise.all(senders.map((send) => send()))
  const statuses = replies.map(({ status }) => status)
  return Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((s) => s === status).length]),
  )
}

const times = <Item>(count: number, item: Item) => Array<Item>(count).fill(item)

/** The number of tickets of an e-mail address or user, and how many of them their quota rows count. */
async function readCounts({ email = '', id = '' }: { email?: string; id?: string }) {
  const { rows } = await world.database.query<{ tickets: number; quotas: Record<string, number> }>(
    `select
       (select count(*)::int from tickets where customer_email = $1 or user_id::text = $2) as tickets,
       (select coalesce(jsonb_object_agg(split_part(who, ':', 1), cardinality(opened)), '{}') from ticket_quotas
        where who in ('email:' || $1, 'user:' || $2)) as quotas`,
    [email, id],
  )
  return rows[0]
}

test('of 50 concurrent guests with one e-mail address, two get a ticket', async () => {
  const email = newEmail()
  expect(await race(times(50, asGuest(email)))).toEqual({ 200: 2, 429: 48 })
  expect(await readCounts({ email })).toEqual({ tickets: 2, quotas: { email: 2 } })
})

test('of 50 concurrent calls of one user, two get a ticket, and the owner gets both events in order', async () => {
  const user = await signIn(world)
  expect(await race(times(50, asUser(user.token)))).toEqual({ 200: 2, 429: 48 })
  expect(await readCounts(user)).toEqual({ tickets: 2, quotas: { user: 2 } })
  const events = await ownerEvents(world, user.id)
  expect(events.map(({ type }) => type)).toEqual(times(2, 'ticket.created'))
  expect(findSequenceErrors(events)).toEqual([])
})

test('of 50 concurrent calls of an anonymous user, two get a ticket', async () => {
  const { token, user } = await signInAnonymously(world)
  expect(await race(times(50, asUser(token)))).toEqual({ 200: 2, 429: 48 })
  expect(await readCounts({ id: user.id })).toEqual({ tickets: 2, quotas: { user: 2 } })
})

test('a user and guests with the same e-mail address can open two tickets each, and refused tickets do not count', async () => {
  const user = await signIn(world)
  const statuses = await race(times(20, [asUser(user.token), asGuest(user.email)]).flat())
  expect(statuses).toEqual({ 200: 4, 429: 36 })
  expect(await readCounts(user)).toEqual({ tickets: 4, quotas: { email: 2, user: 2 } })
})

test('a user whose e-mail address changes keeps its quota', async () => {
  const user = await signIn(world)
  expect(await race([asUser(user.token)])).toEqual({ 200: 1 })
  const email = newEmail()
  await world.database.query('update users set email = $1 where id = $2', [email, user.id])
  expect(await race(times(10, asUser(user.token)))).toEqual({ 200: 1, 429: 9 })
  expect(await readCounts({ id: user.id, email })).toEqual({ tickets: 2, quotas: { user: 2 } })
})

test('of 30 concurrent calls with a quota of one ticket left, one gets a ticket', async () => {
  const email = newEmail()
  for (const _ of [1, 2]) {
    await race([asGuest(email)])
    await world.clock.advance(world.paywall.id, '12h')
  }
  expect(await race(times(30, asGuest(email)))).toEqual({ 200: 1, 429: 29 })
})

test('concurrent guests with different e-mail addresses do not limit each other', async () => {
  expect(await race(Array.from({ length: 40 }, () => asGuest(newEmail())))).toEqual({ 200: 40 })
})

test('of 12 concurrent forms with images, two get a ticket, and only their images are kept', async () => {
  const email = newEmail()
  const form = () => sendForm(world, ticketForm({ ...MESSAGE, customer_email: email }, [randomImage(), randomImage()]))
  expect(await race(times(12, form))).toEqual({ 200: 2, 429: 10 })
  await until('only images of tickets are stored', async () => {
    const { stored, known } = await attachmentKeys(world)
    return known.length === 4 && stored.join() === known.join()
  })
})
