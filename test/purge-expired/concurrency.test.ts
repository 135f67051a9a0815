import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { runWhileLocked } from '../support/held-member.ts'
import { MESSAGE, ticketPath } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

// purge-expired deletes rows that have expired. A call may find such a row, wait for the lock on it, and then find it
// gone.

const world = useTestWorld()

/** Makes a call while a row of the table is locked, and deletes the row once the call waits for it. */
async function callWhileDeleting(
  table: string,
  where: string,
  values: unknown[],
  request: () => ReturnType<typeof call>,
) {
  const hold = `select from ${table} where ${where} for update`
  const [reply] = await runWhileLocked(world, { hold, change: `delete from ${table} where ${where}`, values }, [
    request,
  ])
  return reply!
}

test('a ticket is counted while the row of its quota is being deleted', async () => {
  const email = newEmail()
  const send = () => call(world, ticketPath(world.paywall.id), { body: { ...MESSAGE, customer_email: email } })
  await send()
  const who = `email:${email}`
  await world.clock.advance(world.paywall.id, '26h')

  expect(await callWhileDeleting('ticket_quotas', 'who = $1', [who], send)).toMatchObject({ status: 200 })
  expect([await send(), await send()].map(({ status }) => status)).toEqual([200, 429])
})

test('a checkout is opened while an expired claim with its Idempotency-Key is being deleted', async () => {
  const key = randomUUID()
  await world.database.query(
    `insert into checkout_claims
       (paywall_id, caller, idempotency_key, request_hash, checkout_id, holder, leased_until, claimed_at)
     values ($1, 'owner', $2, repeat('0', 64), gen_random_uuid(), gen_random_uuid(), now(), now() - interval '26 hours')`,
    [world.paywall.id, key],
  )
  const headers = { 'idempotency-key': key }
  const open = () => startCheckout(world, { paywall: world.paywall, key: world.key, headers })
  parseOpened(await callWhileDeleting('checkout_claims', 'idempotency_key = $1', [key], open))
})
