// A stranger can do nothing to a victim who signs in by a mailed code, except have a few mails sent.
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { fileOfBothModes } from '../support/paywall-file.ts'
import { setConsumed } from '../support/rate-limits.ts'
import {
  getGrant,
  parseChallenge,
  readMailedCode,
  requestCode,
  requestTokens,
  signInByMail,
  wrong,
} from '../support/sign-in.ts'
import { getTenants, person } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true })

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
const times = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

/** A call from an address. */
const from = (address: string) => ({ headers: { 'cf-connecting-ip': address } })
const VICTIM = from('192.0.2.1')

let networks = 0
/** A network of 65,536 /64 networks that nobody has called from yet. */
const newWideNetwork = () => `2001:db8:${(++networks).toString(16)}`
/** An address in it, in one of its /64 networks. */
const randomAddressIn = (network: string) => from(`${network}:${randomInt(0xffff).toString(16)}::1`)
const stranger = () => randomAddressIn(newWideNetwork())

test('five wrong guesses by a stranger leave a code valid', async () => {
  const email = newEmail()
  const victim = await getGrant(world, email, VICTIM)
  const caller = stranger()
  const challenge = parseChallenge(await requestCode(world, email, caller))
  for (let guess = 1; guess <= 5; guess++) {
    expect(await requestTokens(world, { ...wrong(victim, guess), challenge }, caller)).toMatchObject(invalidGrant)
  }
  for (let guess = 1; guess <= 5; guess++) {
    const madeUp = { ...wrong(victim, guess), challenge: 'A'.repeat(43) }
    expect(await requestTokens(world, madeUp, caller)).toMatchObject(invalidGrant)
  }
  expect(await requestTokens(world, victim, VICTIM)).toMatchObject({ status: 200 })
})

test("a stranger's request leaves the victim's code valid, and neither code works with the challenge of the other", async () => {
  const email = newEmail()
  const victim = await getGrant(world, email, VICTIM)
  const caller = stranger()
  const challenge = parseChallenge(await requestCode(world, email, caller))
  expect(await requestTokens(world, { ...victim, challenge }, caller)).toMatchObject(invalidGrant)
  const strangersCode = await readMailedCode(world, email, 2)
  expect(await requestTokens(world, { ...victim, code: strangersCode }, VICTIM)).toMatchObject(invalidGrant)
  expect(await requestTokens(world, victim, VICTIM)).toMatchObject({ status: 200 })
})

test('a stranger cannot send more mails to a mailbox by adding tags to its address', async () => {
  const email = newEmail()
  const tagged = (tag: string) => email.replace('@', `+${tag}@`)
  const caller = stranger()
  const replies = await times(30, (index) => requestCode(world, tagged(`${index}`), caller))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(25).fill(429)])
  const mailed = () => world.mail.received.filter(({ to }) => to.startsWith(email.replace(/@.*/, '')))
  await until('five mails', async () => mailed().length === 5)
  expect(await requestCode(world, email, caller)).toMatchObject({ status: 429 })
  expect((await signInByMail(world, email, VICTIM)).user).toMatchObject({ email })
  expect((await signInByMail(world, tagged('new'), VICTIM)).user).toMatchObject({ email: tagged('new') })
})

test('mails requested by strangers in five networks do not keep the user of the address from requesting one', async () => {
  const email = newEmail()
  for (let one = 0; one < 5; one++) {
    const caller = stranger()
    const replies = await times(20, () => requestCode(world, email, caller))
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  }
  await world.mail.waitFor(email, { count: 25 })
  const { user } = await signInByMail(world, email, VICTIM)
  expect(user.email).toBe(email)
})

test('a network without mails left gets the same reply for users of the paywall and users of its other mode', async () => {
  const file = await fileOfBothModes()
  await world.apply(file)
  const network = '192.0.2.2'
  const [testing, live] = getTenants(file)
  for (const [current, other] of [
    [testing!, live!],
    [live!, testing!],
  ] as const) {
    await setConsumed(world, 'network mail', `network:${network} paywall:${current.paywall.id}`, 100)
    const caller = { ...from(network), paywallId: current.paywall.id }
    const people = [await person(world, current), await person(world, other)]
    for (const { email } of people) expect(await requestCode(world, email, caller)).toMatchObject({ status: 429 })
    const emails = people.map(({ email }) => email)
    expect(world.mail.received.filter(({ to }) => emails.includes(to))).toEqual([])
  }
})
