import { describe, expect, test } from 'vitest'
import { anonymousBuyer, pay } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { setConsumed } from '../support/rate-limits.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { MESSAGE, randomImage, sendForm, ticketForm, ticketPath } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true })

/** Opens a ticket as a user, or as a guest with an e-mail address. */
const openTicket = (sender: { token: string } | { email: string }, network = '192.0.2.200') => {
  const headers = { 'cf-connecting-ip': network }
  const body = 'email' in sender ? { ...MESSAGE, customer_email: sender.email } : MESSAGE
  return call(world, ticketPath(world.paywall.id), { headers, body, ...('token' in sender && sender) })
}

test('tickets of guests with the e-mail address of a user do not count against the quota of the user', async () => {
  const { token, email } = await signIn(world)
  const senders = [{ email }, { email }, { email }, { token }, { token }, { token }]
  const statuses: number[] = []
  for (const sender of senders) statuses.push((await openTicket(sender)).status)
  expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
})

describe('a network whose guests have opened 1,000 tickets', () => {
  const NETWORK = '192.0.2.201'
  /** The seconds after which one of 1,000 tickets a day is refilled. */
  const REFILL_SECONDS = 86.4
  const useUp = (secondsAgo: number) => setConsumed(world, 'guest_tickets', `network:${NETWORK}`, 1000, secondsAgo)
  const tooMany = {
    status: 429,
    body: { error: 'rate_limit_exceeded', message: expect.stringContaining('Sign in') },
  }

  test('can open one more after 86.4 seconds, and no more as an anonymous user or with images', async () => {
    await useUp(REFILL_SECONDS)
    expect(await openTicket({ email: newEmail() }, NETWORK)).toMatchObject({ status: 200 })
    const refused = await openTicket({ email: newEmail() }, NETWORK)
    expect(refused).toMatchObject(tooMany)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(Math.ceil(REFILL_SECONDS))
    const { token } = await signInAnonymously(world)
    expect(await openTicket({ token }, NETWORK)).toMatchObject(tooMany)
    const form = ticketForm({ ...MESSAGE, customer_email: newEmail() }, [randomImage()])
    expect(await sendForm(world, form, { headers: { 'cf-connecting-ip': NETWORK } })).toMatchObject(tooMany)
  })

  test('does not limit users, buyers or other networks, and refused tickets do not count', async () => {
    await useUp(0)
    const { token } = await signIn(world)
    expect(await openTicket({ token }, NETWORK)).toMatchObject({ status: 200 })
    const buyer = await anonymousBuyer(world)
    expect(await openTicket(buyer, NETWORK)).toMatchObject(tooMany)
    await pay(world, buyer.checkoutUrl)
    const email = newEmail()
    for (const sender of [buyer, { email }, { email }]) await openTicket(sender, NETWORK)
    expect(await openTicket(buyer, NETWORK)).toMatchObject({ status: 200 })
    expect(await openTicket({ email }, '192.0.2.202')).toMatchObject({ status: 200 })
    expect(await openTicket({ email }, '192.0.2.202')).toMatchObject({ status: 200 })
  })

  test('does not count a ticket whose images were refused', async () => {
    await setConsumed(world, 'guest_tickets', `network:${NETWORK}`, 999)
    await setConsumed(world, 'guest_images', `network:${NETWORK}`, 100 * 1024 * 1024 - 1)
    const form = ticketForm({ ...MESSAGE, customer_email: newEmail() }, [randomImage()])
    const refused = await sendForm(world, form, { headers: { 'cf-connecting-ip': NETWORK } })
    expect(refused).toMatchObject({ status: 429, body: { message: expect.stringContaining('without images') } })
    expect(await openTicket({ email: newEmail() }, NETWORK)).toMatchObject({ status: 200 })
    expect(await openTicket({ email: newEmail() }, NETWORK)).toMatchObject(tooMany)
  })
})
