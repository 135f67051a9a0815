// Where the mails of an hour are used up, whoever solves a captcha is mailed a code; nobody else is.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seal } from '../../lib/crypto/seal.ts'
import type { Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { newKey } from '../support/deployed.ts'
import { signIn } from '../support/exchange.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { advanceRefills, setConsumed } from '../support/rate-limits.ts'
import { askForCode, askForTokens, challengeIn, codeMailedTo, sessionIn } from '../support/sign-in.ts'
import { readStatements } from '../support/statements.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
/** Paywalls of one owner, each with keys of its own; the third has none. */
let paywalls: string[]

const getKeys = (name: string) => ({ siteKey: `0x4-site-${name}`, secretKey: `0x4-secret-${name}` })
const [HERE, THERE] = [getKeys('here'), getKeys('there')]

beforeAll(async () => {
  world = await startTestWorld({
    rateLimited: true,
    file: { paywalls: [{ turnstile: HERE }, { turnstile: THERE }, {}] },
  })
  paywalls = world.file.paywalls.map(({ id }) => id)
})
beforeEach(async () => {
  await world.database.query('delete from rate_limits')
  world.turnstile.calls.length = 0
})
afterEach(() => {
  world.turnstile.onCall = undefined
})
afterAll(() => world.close())

let networks = 0
const newNetwork = () => `203.0.113.${++networks}`
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email).length

/** A call for a code from a network, with the token of a captcha if there is one. */
const ask = (email: string, network: string, token?: string, paywallId = paywalls[0]!) =>
  askForCode(world, email, {
    paywallId,
    headers: { 'cf-connecting-ip': network },
    body: { email, ...(token !== undefined && { captcha_token: token }) },
  })

/** A network whose mails on a paywall are used up. */
async function usedUpNetwork(paywallId = paywalls[0]!): Promise<string> {
  const network = newNetwork()
  await setConsumed(world, 'network mail', `network:${network} paywall:${paywallId}`, 100)
  return network
}

const required = {
  status: 429,
  body: { error: 'rate_limit_exceeded', captcha: 'turnstile', site_key: HERE.siteKey },
}
const failed = { status: 400, body: { error: 'captcha_failed', captcha: 'turnstile', site_key: HERE.siteKey } }
const withoutCaptcha = { status: 429, body: { error: 'rate_limit_exceeded' } }

const solve = (keys = HERE) => world.turnstile.solve(keys.siteKey)

test('a 429 names the captcha, the same for whoever is known and whoever is not, and a solved one has the code mailed', async () => {
  const network = await usedUpNetwork()
  const [known, unknown] = [(await signIn(world)).email, newEmail()]
  const refused = [await ask(known, network), await ask(unknown, network)]
  for (const reply of refused) {
    expect(reply).toMatchObject(required)
    expect(Object.keys(reply.body as object)).toEqual(Object.keys(required.body))
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  }
  for (const email of [known, unknown]) {
    const challenge = challengeIn(await ask(email, network, solve()))
    const grant = { grant_type: 'code', email, code: await codeMailedTo(world, email), challenge }
    expect(sessionIn(await askForTokens(world, grant, { paywallId: paywalls[0]! })).user).toMatchObject({ email })
  }
  expect(world.turnstile.calls.map(({ secret, remoteip }) => [secret, remoteip])).toEqual(
    Array(2).fill([HERE.secretKey, network]),
  )
})

test('whichever limit of the address or the network is used up, and the paywall’s 5,000, but not its 20,000', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  for (let sent = 0; sent < 5; sent++) expect(await ask(email, network)).toMatchObject({ status: 200 })
  expect(await ask(email, network)).toMatchObject(required)
  expect(await ask(email, network, solve())).toMatchObject({ status: 200 })

  await setConsumed(world, 'first mail', `network:${network} paywall:${paywalls[0]}`, 3)
  await setConsumed(world, 'paywall mail', `paywall:${paywalls[0]}`, 5000)
  expect(await ask(newEmail(), network)).toMatchObject(required)
  expect(await ask(newEmail(), network, solve())).toMatchObject({ status: 200 })

  await setConsumed(world, 'all mail', `paywall:${paywalls[0]}`, 20_000)
  const refused = await ask(newEmail(), network, solve())
  expect(refused).toMatchObject(withoutCaptcha)
  expect(refused.body).toEqual(withoutCaptcha.body)
})

test('solved captchas have five mails an hour sent to an address by calls from a network, and are not asked for after that', async () => {
  const [email, network] = [newEmail(), await usedUpNetwork()]
  for (let sent = 0; sent < 5; sent++) expect(await ask(email, network, solve())).toMatchObject({ status: 200 })
  const before = world.turnstile.calls.length
  const refused = await ask(email, network, solve())
  expect(refused.body).toEqual(withoutCaptcha.body)
  expect(world.turnstile.calls).toHaveLength(before)
  expect(await ask(newEmail(), network, solve())).toMatchObject({ status: 200 })
  await advanceRefills(world, '12 minutes')
  await setConsumed(world, 'network mail', `network:${network} paywall:${paywalls[0]}`, 100)
  expect(await ask(email, network, solve())).toMatchObject({ status: 200 })
})

test('of 20 solved captchas at once exactly five have a mail sent', async () => {
  const [email, network] = [newEmail(), await usedUpNetwork()]
  const replies = await Promise.all(Array.from({ length: 20 }, () => ask(email, network, solve())))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  await world.mail.waitFor(email, { count: 5 })
  expect(mailsTo(email)).toBe(5)
})

test('one token, sent ten times at once, has one mail sent', async () => {
  const [email, network, token] = [newEmail(), await usedUpNetwork(), solve()]
  const replies = await Promise.all(Array.from({ length: 10 }, () => ask(email, network, token)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  await world.mail.waitFor(email)
  expect(mailsTo(email)).toBe(1)
})

test('a token that was not asked for is not looked at, and is as good as before', async () => {
  const [email, network, token] = [newEmail(), newNetwork(), solve()]
  for (let sent = 0; sent < 5; sent++) expect(await ask(email, network, token)).toMatchObject({ status: 200 })
  expect(world.turnstile.calls).toEqual([])
  expect(await ask(email, network, token)).toMatchObject({ status: 200 })
})

test('without a captcha a refusal asks the database once, with one twice', async () => {
  const network = await usedUpNetwork()
  expect(await readStatements(world, () => ask(newEmail(), network))).toBe(1)
  expect(await readStatements(world, () => ask(newEmail(), network, solve()))).toBe(2)
})

describe('nothing is mailed, and nothing consumed,', () => {
  /** Has a call refused by what is wrong with its captcha. */
  async function refusedFor(token: string, paywallId?: string): Promise<Reply> {
    const [email, network] = [newEmail(), await usedUpNetwork(paywallId)]
    const reply = await ask(email, network, token, paywallId)
    expect(mailsTo(email)).toBe(0)
    const { rows } = await world.database.query(
      "select sum(consumed)::int as sum from rate_limits where name = 'solved mail'",
    )
    expect(rows).toEqual([{ sum: null }])
    return reply
  }

  test('for a token that nobody was given', async () => {
    expect(await refusedFor('made-up')).toMatchObject(failed)
  })

  test('for one that was spent', async () => {
    const token = solve()
    expect(await ask(newEmail(), await usedUpNetwork(), token)).toMatchObject({ status: 200 })
    await world.database.query('delete from rate_limits')
    expect(await refusedFor(token)).toMatchObject(failed)
  })

  test('for one that is older than five minutes', async () => {
    const token = solve()
    world.turnstile.advance(301)
    expect(await refusedFor(token)).toMatchObject(failed)
  })

  test('for the token of another paywall', async () => {
    expect(await refusedFor(solve(THERE))).toMatchObject(failed)
    expect(await refusedFor(solve(HERE), paywalls[1]!)).toMatchObject({
      status: 400,
      body: { site_key: THERE.siteKey },
    })
  })

  test('for any token on a paywall without keys', async () => {
    const reply = await refusedFor(solve(), paywalls[2]!)
    expect(reply.status).toBe(429)
    expect(reply.body).toEqual(withoutCaptcha.body)
    expect(world.turnstile.calls).toEqual([])
  })

  test.each([
    ['is away', () => Promise.reject(new Error('cut'))],
    ['answers with a page', () => ({ status: 502, body: '<html>Bad gateway</html>' })],
    ['answers another JSON', () => ({ body: '{"ok":true}' })],
    ['says yes by a text', () => ({ body: '{"success":"true"}' })],
    ['has an error of its own', () => ({ body: '{"success":false,"error-codes":["internal-error"]}' })],
  ])('while Turnstile %s: 503', async (_, answer) => {
    world.turnstile.onCall = answer
    const reply = await refusedFor(solve())
    expect(reply).toMatchObject({ status: 503, body: { error: 'captcha_unavailable' } })
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('where Turnstile refuses the secret key: 502, and the log names the paywall and no secret', async () => {
    world.turnstile.onCall = () => ({ body: '{"success":false,"error-codes":["invalid-input-secret"]}' })
    const before = world.logs.length
    expect(await refusedFor(solve())).toMatchObject({ status: 502, body: { error: 'captcha_misconfigured' } })
    const lines = world.logs.slice(before).map(({ message }) => message)
    expect(lines.some((line) => line.includes('Turnstile rejected a secret key') && line.includes(paywalls[0]!))).toBe(
      true,
    )
    expect(lines.filter((line) => line.includes(HERE.secretKey))).toEqual([])
  })

  test.each([
    [
      'that another paywall had',
      async (id: string) => seal(HERE.secretKey, world.secrets.TURNSTILE_SECRETS_KEY, `turnstile:${id}`),
    ],
    ['that another key has sealed', async () => seal(HERE.secretKey, newKey(), `turnstile:${paywalls[0]}`)],
  ])('where the secret key is one %s: 502', async (_, sealed) => {
    const { rows } = await world.database.query('select secret_key from turnstile_keys where paywall_id = $1', [
      paywalls[0],
    ])
    const set = (secret: string) =>
      world.database.query('update turnstile_keys set secret_key = $1 where paywall_id = $2', [secret, paywalls[0]])
    await set(await sealed(paywalls[1]!))
    expect(await refusedFor(solve())).toMatchObject({ status: 502, body: { error: 'captcha_misconfigured' } })
    expect(world.turnstile.calls).toEqual([])
    await set(rows[0].secret_key)
  })
})

test("Cloudflare's keys for tests do what it documents", async () => {
  const dummy = 'XXXX.DUMMY.TOKEN.XXXX'
  const outcomes = []
  for (const digit of [1, 2, 3]) {
    const turnstile = {
      siteKey: `${digit}x00000000000000000000AA`,
      secretKey: `${digit}x0000000000000000000000000000000AA`,
    }
    const file = await paywallFile({ paywall: { turnstile } })
    await world.apply(file)
    const { id } = file.paywalls[0]!
    outcomes.push((await ask(newEmail(), await usedUpNetwork(id), dummy, id)).status)
  }
  expect(outcomes).toEqual([200, 400, 400])
})

test('a paywall file that no longer has the keys ends the captcha', async () => {
  const file = await paywallFile({ paywall: { turnstile: getKeys('gone') } })
  await world.apply(file)
  const { id } = file.paywalls[0]!
  const network = await usedUpNetwork(id)
  expect(await ask(newEmail(), network, undefined, id)).toMatchObject({ status: 429, body: { captcha: 'turnstile' } })
  await world.apply({ ...file, paywalls: file.paywalls.map((each) => ({ ...each, turnstile: null })) })
  expect((await ask(newEmail(), network, undefined, id)).body).toEqual(withoutCaptcha.body)
})

test('a captcha_token is a text', async () => {
  const body = { email: newEmail(), captcha_token: 7 }
  expect(await askForCode(world, body.email, { body })).toMatchObject({
    status: 400,
    body: { error: 'Invalid captcha_token' },
  })
})
