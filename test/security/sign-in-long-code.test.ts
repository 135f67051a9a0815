// A botnet has all the mails sent that an address gets in an hour. Whose address it is signs in all the same, by a longer code.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { askForCode, askForTokens, type CodeGrant, getGrant, requestIn, sessionIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
let networks = 0
/** A call from a network that nobody has called from yet. */
const newNetwork = () => ({ headers: { 'cf-connecting-ip': `2001:db8:${(++networks).toString(16)}::1` } })
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email)

/** Each address gets 30 mails an hour: strangers in six networks have them all sent. */
async function useUpMails(email: string, paywallId = world.paywall.id): Promise<void> {
  for (let network = 1; network <= 6; network++) {
    const at = { ...newNetwork(), paywallId }
    const replies = await Promise.all(Array.from({ length: 5 }, () => askForCode(world, email, at)))
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200))
  }
  await until('30 mails', async () => mailsTo(email).length === 30)
}

const LONG_CODE = /\b\d{6} \d{6} \d{6}\b/

/** The long codes that were mailed to an address, once there are so many. */
async function longCodesTo(email: string, count: number): Promise<string[]> {
  return until(`${count} long codes`, async () => {
    const codes = mailsTo(email).flatMap(({ text }) => LONG_CODE.exec(text)?.[0] ?? [])
    return codes.length === count ? codes : undefined
  })
}

/** What a user would send that asks for a code and reads the last mail. */
async function grantBy(email: string, code: string, at = newNetwork()): Promise<CodeGrant> {
  return { grant_type: 'code', email, code, request: requestIn(await askForCode(world, email, at)) }
}

/** So much time passes for budgets and codes. */
const letPass = (minutes: number) =>
  world.database.query(
    `update budgets set window_start = window_start - interval '${minutes} minutes';
     update mailed_codes set expires_at = expires_at - interval '${minutes} minutes'`,
  )

test('six networks that use up the mails of an address keep nobody from signing in', async () => {
  const email = newEmail()
  await useUpMails(email)
  const request = requestIn(await askForCode(world, email, newNetwork()))
  const [code] = await longCodesTo(email, 1)
  const session = sessionIn(await askForTokens(world, { grant_type: 'code', email, code, request }, newNetwork()))
  expect(session.user).toMatchObject({ email })
})

test('nor do sixty, which have one mail in ten minutes sent', async () => {
  const email = newEmail()
  await useUpMails(email)
  const replies = await Promise.all(Array.from({ length: 60 }, () => askForCode(world, email, newNetwork())))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  const [first] = await longCodesTo(email, 1)
  await letPass(9.9)
  // Whoever asks now gets no other mail, and has ten minutes to use the one that is there.
  const last = await grantBy(email, first!)
  expect(mailsTo(email)).toHaveLength(31)
  await letPass(0.2)
  const next = await grantBy(email, (await askAndRead(email, 2))!)
  await letPass(9.7)
  sessionIn(await askForTokens(world, last, newNetwork()))
  sessionIn(await askForTokens(world, next, newNetwork()))
  expect(mailsTo(email)).toHaveLength(32)
})

const askAndRead = async (email: string, count: number) => {
  requestIn(await askForCode(world, email, newNetwork()))
  return (await longCodesTo(email, count)).at(-1)
}

test('a long code works once, for 20 minutes, and whoever has used it may ask for another at once', async () => {
  const email = newEmail()
  await useUpMails(email)
  const first = await grantBy(email, (await askAndRead(email, 1))!)
  sessionIn(await askForTokens(world, first, newNetwork()))
  expect(await askForTokens(world, first, newNetwork())).toMatchObject(invalidGrant)
  const second = await grantBy(email, (await askAndRead(email, 2))!)
  await letPass(20)
  expect(await askForTokens(world, second, newNetwork())).toMatchObject(invalidGrant)
})

test('strangers can neither guess a long code nor use it up, and it is of no use elsewhere', async () => {
  const email = newEmail()
  await useUpMails(email)
  const good = await grantBy(email, (await askAndRead(email, 1))!)
  const wrong = { ...good, code: good.code.replace(/^./, (digit) => String((Number(digit) + 1) % 10)) }
  for (let guess = 1; guess <= 60; guess++) await askForTokens(world, wrong, newNetwork())
  expect(await askForTokens(world, { ...good, email: newEmail() }, newNetwork())).toMatchObject({ status: 400 })
  const file = await paywallFile()
  await world.apply(file)
  const elsewhere = { ...newNetwork(), paywallId: file.paywalls[0]!.id }
  expect(await askForTokens(world, good, elsewhere)).toMatchObject(invalidGrant)
  const { rows } = await world.database.query('select * from mailed_codes where email = $1', [email])
  expect(JSON.stringify(rows)).not.toContain(good.code.replaceAll(' ', ''))
  sessionIn(await askForTokens(world, { ...good, request: 'any' }, newNetwork()))
})

test('after the hour codes are short again', async () => {
  const email = newEmail()
  await useUpMails(email)
  await askAndRead(email, 1)
  await letPass(60)
  const grant = await getGrant(world, email, newNetwork())
  expect(mailsTo(email).at(-1)?.text).not.toMatch(LONG_CODE)
  sessionIn(await askForTokens(world, grant, newNetwork()))
})
