import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import {
  getGrant,
  parseChallenge,
  parseSession,
  readMailedCode,
  requestCode,
  requestTokens,
} from '../support/sign-in.ts'
import { countStatements } from '../support/statements.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
afterEach(() => {
  world.mail.onMail = undefined
})

/** A code as a person reads it. */
const inGroups = (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`

const post = (options: Call, paywallId = world.paywall.id) =>
  call(world, `/api/v1/paywall/${paywallId}/sign-in/code`, options)

/** A reply without what differs between any two requests. */
function comparable(reply: Reply) {
  const {
    status,
    headers: { 'x-request-id': _, date: __, ...headers },
  } = reply
  return { status, headers, body: { sent: true, challenge: parseChallenge(reply).length } }
}

testRows([
  ['400 without e-mail', () => post({ body: {} }), 400, 'Email is required'],
  ['400 for a blank e-mail', () => post({ body: { email: '' } }), 400, 'Email is required'],
  ['400 for a malformed address', () => post({ body: { email: 'me' } }), 400, 'Invalid email format'],
  ['400 for an e-mail that is a list', () => post({ body: { email: ['a@b.co'] } }), 400, 'Invalid email format'],
  ['400 for two lines', () => post({ body: { email: 'a@b.co\r\nBcc: c@d.co' } }), 400, 'Invalid email format'],
  ['400 for two addresses', () => post({ body: { email: 'a@b.co,c@d.co' } }), 400, 'Invalid email format'],
  ['400 for a body that is a list', () => post({ body: [] }), 400, 'invalid_body'],
  ['400 for malformed JSON', () => post({ body: '{' }), 400, 'invalid_json'],
  ['404 for an unknown paywall', () => post({ body: { email: newEmail() } }, '99'), 404, 'paywall_not_found'],
  ['404 for a non-numeric paywall', () => post({ body: { email: newEmail() } }, 'acme'), 404, 'paywall_not_found'],
  ['405 for a GET', () => post({}), 405, 'method_not_allowed'],
])

test('mails a code that signs its recipient in', async () => {
  const email = newEmail()
  const challenge = parseChallenge(await requestCode(world, `  ${email.toUpperCase()} `))
  const mail = await world.mail.waitFor(email)
  const code = await readMailedCode(world, email)
  expect(mail).toMatchObject({
    from: { name: 'Test Paywall', email: 'sign-in@paywall.example' },
    subject: `${inGroups(code)} is your code for Test Paywall`,
  })
  expect(mail.text).toContain(`Your sign-in code for Test Paywall is ${inGroups(code)}.`)
  expect(mail.text).toContain("This code expires in 10 minutes and works once. Don't share it with anyone.")
  const reply = await requestTokens(world, { grant_type: 'code', email, code, challenge })
  expect(parseSession(reply).user).toMatchObject({ email, name: null })
})

test.each([
  ['de-AT, en;q=0.5', /^\d{4} \d{4} ist Ihr Code für Test Paywall$/, /Ihr Anmeldecode .*Der Code gilt 10 Minuten/s],
  [
    'en-GB, de;q=0.5',
    /^\d{4} \d{4} is your code for Test Paywall$/,
    /Your sign-in code .*This code expires in 10 minutes/s,
  ],
  ['fr', /^\d{4} \d{4} is your code for Test Paywall$/, /Your sign-in code .*This code expires in 10 minutes/s],
])('mails in the language that the call prefers: %s', async (accepted, subject, text) => {
  const email = newEmail()
  await requestCode(world, email, { headers: { 'accept-language': accepted } })
  expect(await world.mail.waitFor(email)).toMatchObject({
    subject: expect.stringMatching(subject),
    text: expect.stringMatching(text),
  })
})

test('returns the same for a known address, an unknown one and one that cannot be mailed to', async () => {
  const known = await signIn(world)
  const replies = [await requestCode(world, known.email), await requestCode(world, newEmail())]
  world.mail.onMail = () => {
    throw new Error('no such mailbox')
  }
  replies.push(await requestCode(world, newEmail()))
  expect(replies.map(comparable)).toEqual(Array(3).fill(comparable(replies[0]!)))
  expect(new Set(replies.map(parseChallenge)).size).toBe(3)
})

test('responds before the mail is sent', async () => {
  const sent = Promise.withResolvers<void>()
  world.mail.onMail = () => sent.promise
  const email = newEmail()
  expect(await requestCode(world, email)).toMatchObject({ status: 200 })
  sent.resolve()
  await world.mail.waitFor(email)
})

test('logs a mail that failed, without the address or the code', async () => {
  const email = newEmail()
  let refused = ''
  world.mail.onMail = ({ text }) => {
    refused = /\d{4} \d{4}/.exec(text)?.[0] ?? ''
    throw new Error(`email to ${email} not allowed`)
  }
  const before = world.logs.length
  await requestCode(world, email)
  await until('the mail', async () => refused !== '')
  const line = await until('the log line', async () =>
    world.logs.slice(before).find(({ message }) => message.includes('sign-in code not mailed')),
  )
  expect(line.level).toBe('error')
  expect(refused).toMatch(/^\d{4} \d{4}$/)
  expect(world.logs.filter(({ message }) => message.includes(email) || message.includes(refused))).toEqual([])
})

test("a paywall's name cannot add a header to the mail", async () => {
  const file = await paywallFile({ paywall: { name: 'Acme\r\nBcc: victim@example.com\u2028Pro' } })
  await world.apply(file)
  const email = newEmail()
  const { code } = await getGrant(world, email, { paywallId: file.paywalls[0]!.id })
  expect(await world.mail.waitFor(email)).toMatchObject({
    from: { name: 'Acme Bcc: victim@example.com Pro' },
    subject: `${inGroups(code)} is your code for Acme Bcc: victim@example.com Pro`,
  })
})

test('stores nothing that reveals the code to a reader of the database', async () => {
  const email = newEmail()
  const { code, challenge } = await getGrant(world, email)
  const { rows } = await world.database.query('select * from sign_in_challenges where email = $1', [email])
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(code)
  expect(JSON.stringify(rows)).not.toContain(challenge)
  const texts = [code, `${email}${code}`, JSON.stringify([world.paywall.id, email, challenge, code])]
  const guesses = texts.map((text) => createHash('sha256').update(text).digest('hex'))
  expect(guesses).not.toContain(rows[0].code_hash)
})

test("a paywall's own domain sends codes for no other", async () => {
  const file = await paywallFile({ paywall: { domain: 'pay.codes.example' } })
  await world.apply(file)
  const at = (paywallId: string) =>
    call(world, `http://pay.codes.example/api/v1/paywall/${paywallId}/sign-in/code`, { body: { email: newEmail() } })
  expect(await at(file.paywalls[0]!.id)).toMatchObject({ status: 200 })
  expect(await at(world.paywall.id)).toMatchObject({ status: 404, body: { error: 'paywall_not_found' } })
})

test('makes one statement', async () => {
  expect(await countStatements(world, () => requestCode(world, newEmail()))).toBe(1)
})
