import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { anonymousBuyer, pay } from '../support/anonymous.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { setConsumed } from '../support/rate-limits.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { newTenant } from '../support/tenants.ts'
import { attachmentKeys, MESSAGE, randomImage, sendForm, ticketForm } from '../support/tickets.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true, file: { webhooks: [] } })

const SIZE = 10_000
const MEGABYTE = 1024 * 1024
const queries = { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] }

/** A paywall that accepts this many bytes of guests' images a day; by default, the usual limit. */
const paywallWith = async (bytes?: number) => {
  const limits = bytes === undefined ? {} : { limits: { guest_image_bytes_a_day: bytes } }
  return (await newTenant(world, { settings: { ...queries, ...limits } })).paywall.id
}

const randomNetwork = () => ({ 'cf-connecting-ip': `2001:${randomInt(0x1000, 0xffff).toString(16)}:1::1` })

/** Sends a ticket as a new guest, from a new network unless `headers` names one. */
const asGuest = (paywallId: string, images: number, headers: Record<string, string> = randomNetwork()) =>
  sendForm(
    world,
    ticketForm({ ...MESSAGE, customer_email: newEmail() }, Array(images).fill(randomImage('image/png', SIZE))),
    {
      paywallId,
      headers,
    },
  )

const tooMany = {
  status: 429,
  body: { error: 'rate_limit_exceeded', message: expect.stringContaining('without images') },
}

const untilNoStrayImages = () =>
  until('every stored image belongs to a ticket', async () => {
    const { stored, known } = await attachmentKeys(world)
    return stored.join() === known.join()
  })

test('guests can send as many bytes of images a day as the paywall accepts, and tickets without images after that', async () => {
  const paywallId = await paywallWith(3 * SIZE)
  expect(await asGuest(paywallId, 2)).toMatchObject({ status: 200 })
  const refused = await asGuest(paywallId, 2)
  expect(refused).toMatchObject(tooMany)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(28_700)
  expect(await asGuest(paywallId, 1)).toMatchObject({ status: 200 })
  expect(await asGuest(paywallId, 1)).toMatchObject(tooMany)
  expect(await asGuest(paywallId, 0)).toMatchObject({ status: 200 })
  await untilNoStrayImages()
  await world.database.query("update rate_limits set refilled_at = refilled_at - interval '24 hours'")
  expect(await asGuest(paywallId, 3)).toMatchObject({ status: 200 })
})

test('of twelve concurrent tickets, those within the limit are accepted, and the images of the others are deleted', async () => {
  const paywallId = await paywallWith(5 * SIZE)
  raceStatements(world, 'open_ticket', 12)
  const replies = await Promise.all(Array.from({ length: 12 }, () => asGuest(paywallId, 1)))
  world.neon.onStatement = undefined
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(7)
  await untilNoStrayImages()
})

test('a guest whose images are refused keeps its quota of tickets', async () => {
  const paywallId = await paywallWith(SIZE)
  const headers = randomNetwork()
  const fields = { ...MESSAGE, customer_email: newEmail() }
  const send = (images: number) =>
    sendForm(world, ticketForm(fields, Array(images).fill(randomImage('image/png', SIZE))), { paywallId, headers })
  for (const _ of [1, 2, 3]) expect(await send(2)).toMatchObject(tooMany)
  const statuses: number[] = []
  for (const images of [1, 0, 0]) statuses.push((await send(images)).status)
  expect(statuses).toEqual([200, 200, 429])
})

test('guests of one network can send 100 MB a day to all paywalls, and a paywall accepts 200 MB from all networks', async () => {
  const [one, other] = [await paywallWith(), await paywallWith()]
  const headers = randomNetwork()
  const setUsed = (keyPattern: string, megabytes: number) =>
    world.database.query("update rate_limits set consumed = $1 where name = 'guest_images' and key like $2", [
      megabytes * MEGABYTE,
      keyPattern,
    ])
  expect(await asGuest(one, 1, headers)).toMatchObject({ status: 200 })
  await setUsed('network:%', 100)
  expect(await asGuest(other, 1, headers)).toMatchObject(tooMany)
  expect(await asGuest(other, 1)).toMatchObject({ status: 200 })
  await setUsed(`paywall:${one}`, 200)
  expect(await asGuest(one, 1)).toMatchObject(tooMany)
})

/** Sends a ticket with one image as the user of a token. */
const asUser = (token: string) =>
  sendForm(world, ticketForm(MESSAGE, [randomImage('image/png', SIZE)]), { token, headers: randomNetwork() })

test("anonymous users share the guests' limit, and known users have their own", async () => {
  const setUsed = (bytes: number) => setConsumed(world, 'guest_images', `paywall:${world.paywall.id}`, bytes)
  // A limit with less than a hundredth left counts as used up.
  await setUsed(198 * MEGABYTE)
  const anonymous = async () => (await signInAnonymously(world, { headers: randomNetwork() })).token
  expect(await asUser(await anonymous())).toMatchObject({ status: 200 })
  expect(await asUser(await anonymous())).toMatchObject(tooMany)

  const { token } = await signIn(world)
  expect(await asUser(token)).toMatchObject({ status: 200 })
  const buyer = await anonymousBuyer(world)
  expect(await asUser(buyer.token)).toMatchObject(tooMany)
  await pay(world, buyer.checkoutUrl)
  expect(await asUser(buyer.token)).toMatchObject({ status: 200 })
  await setUsed(0)
})

test("a network's limit covers signed-in users without a purchase, as one mailbox can create many; buyers have their own", async () => {
  const network = '192.0.2.210'
  await setConsumed(world, 'guest_images', `network:${network}`, 100 * MEGABYTE)
  const send = (token: string) =>
    sendForm(world, ticketForm(MESSAGE, [randomImage('image/png', SIZE)]), {
      token,
      headers: { 'cf-connecting-ip': network },
    })
  const { token, email } = await signIn(world)
  expect(await send(token)).toMatchObject(tooMany)
  await buy(world, { paywall: world.paywall, key: world.key, email })
  expect(await send(token)).toMatchObject({ status: 200 })
})

test('a paywall with a limit of 0 accepts no images from guests', async () => {
  const paywallId = await paywallWith(0)
  expect(await asGuest(paywallId, 1)).toMatchObject(tooMany)
  expect(await asGuest(paywallId, 0)).toMatchObject({ status: 200 })
})
