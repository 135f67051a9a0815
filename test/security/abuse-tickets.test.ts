import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { signIn } from '../support/exchange.ts'
import { MESSAGE, ticketPath } from '../support/tickets.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

test('two tickets that guests write in the name of a user take nothing from that user', async () => {
  const { token, email } = await signIn(world)
  const asGuest = () => call(world, ticketPath(world.paywall.id), { body: { ...MESSAGE, customer_email: email } })
  const asUser = () => call(world, ticketPath(world.paywall.id), { token, body: MESSAGE })
  const statuses: number[] = []
  for (const send of [asGuest, asGuest, asGuest, asUser, asUser, asUser]) statuses.push((await send()).status)
  expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
})
