// What a stranger can do to a victim who signs in by a mailed code: nothing, but to have a few mails sent.
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { fileOfBothModes } from '../support/paywall-file.ts'
import { setConsumed } from '../support/rate-limits.ts'
import {
  askForCode,
  askForTokens,
  challengeIn,
  codeMailedTo,
  getGrant,
  signInByMail,
  wrong,
} from '../support/sign-in.ts'
import { getTenants, person } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

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
const somewhereIn = (network: string) => from(`${network}:${randomInt(0xffff).toString(16)}::1`)
const stranger = () => somewhereIn(newWideNetwork())

test('five wrong guesses by a stranger leave a code alive', async () => {
  const email = newEmail()
  const victim = await getGrant(world, email, VICTIM)
  const at = stranger()
  const challenge = challengeIn(await askForCode(world, email, at))
  for (let guess = 1; guess <= 5; guess++) {
    expect(await askForTokens(world, { ...wrong(victim, guess), challenge }, at)).toMatchObject(invalidGrant)
  }
  for (let guess = 1; guess <= 5; guess++) {
    const madeUp = { ...wrong(victim, guess), challenge: 'A'.repeat(43) }
    expect(await askForTokens(world, madeUp, at)).toMatchObject(invalidGrant)
  }
  expect(await askForTokens(world, victim, VICTIM)).toMatchObject({ status: 200 })
})

test("a stranger's request leaves the code before it alive, and its own is of no use with the other's code", async () => {
  const email = newEmail()
  const victim = await getGrant(world, email, VICTIM)
  const at = stranger()
  const challenge = challengeIn(await askForCode(world, email, at))
  expect(await askForTokens(world, { ...victim, challenge }, at)).toMatchObject(invalidGrant)
  const strangersCode = await codeMailedTo(world, email, 2)
  expect(await askForTokens(world, { ...victim, code: strangersCode }, VICTIM)).toMatchObject(invalidGrant)
  expect(await askForTokens(world, victim, VICTIM)).toMatchObject({ status: 200 })
})

test('a stranger who puts tags into an address has no more mails sent to its mailbox than without', async () => {
  const email = newEmail()
  const tagged = (tag: string) => email.replace('@', `+${tag}@`)
  const at = stranger()
  const replies = await times(30, (index) => askForCode(world, tagged(`${index}`), at))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(25).fill(429)])
  const mailed = () => world.mail.received.filter(({ to }) => to.startsWith(email.replace(/@.*/, '')))
  await until('five mails', async () => mailed().length === 5)
  expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
  expect((await signInByMail(world, email, VICTIM)).user).toMatchObject({ email })
  expect((await signInByMail(world, tagged('new'), VICTIM)).user).toMatchObject({ email: tagged('new') })
})

test('mails that strangers in up to five networks have asked for keep nobody from asking', async () => {
  const email = newEmail()
  for (let one = 0; one < 5; one++) {
    const at = stranger()
    const replies = await times(20, () => askForCode(world, email, at))
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  }
  await world.mail.waitFor(email, { count: 25 })
  const { user } = await signInByMail(world, email, VICTIM)
  expect(user.email).toBe(email)
})

test('a network that has used up its mails is answered the same for whom a paywall knows and whom only its other mode does', async () => {
  const file = await fileOfBothModes()
  await world.apply(file)
  const network = '192.0.2.2'
  const [testing, live] = getTenants(file)
  for (const [here, there] of [
    [testing!, live!],
    [live!, testing!],
  ] as const) {
    await setConsumed(world, 'network mail', `network:${network} paywall:${here.paywall.id}`, 100)
    const at = { ...from(network), paywallId: here.paywall.id }
    const people = [await person(world, here), await person(world, there)]
    for (const { email } of people) expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
    const emails = people.map(({ email }) => email)
    expect(world.mail.received.filter(({ to }) => emails.includes(to))).toEqual([])
  }
})
