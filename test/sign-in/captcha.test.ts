// Once the mails of an hour are used up, only callers who solve a captcha are mailed a code.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seal } from '../../lib/crypto/seal.ts'
import type { Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { newKey } from '../support/deployed.ts'
import { signIn } from '../support/exchange.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { advanceRefills, setConsumed } from '../support/rate-limits.ts'
import { refusal } from '../support/refusal.ts'
import { parseChallenge, parseSession, readMailedCode, requestCode, requestTokens } from '../support/sign-in.ts'
import { countStatements } from '../support/statements.ts'
import { useTestWorld } from '../support/world.ts'

/** Paywalls of one owner: two with their own Turnstile keys, and a third without. */
let paywalls: string[]

const getKeys = (name: string) => ({ siteKey: `0x4-site-${name}`, secretKey: `0x4-secret-${name}` })
const [FIRST_KEYS, SECOND_KEYS] = [getKeys('here'), getKeys('there')]

const world = useTestWorld({
  rateLimited: true,
  file: { paywalls: [{ turnstile: FIRST_KEYS }, { turnstile: SECOND_KEYS }, {}] },
})
beforeAll(async () => {
  paywalls = world.file.paywalls.map(({ id }) => id)
})
beforeEach(async () => {
  await world.database.query('delete from rate_limits')
  world.turnstile.calls.length = 0
})
afterEach(() => {
  world.turnstile.onCall = undefined
})

let networks = 0
const newNetwork = () => `203.0.113.${++networks}`
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email).length

/** A call for a code from a network, with the token of a captcha if there is one. */
const requestFrom = (email: string, network: string, token?: string, paywallId = paywalls[0]!) =>
  requestCode(world, email, {
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
  body: { error: 'rate_limit_exceeded', captcha: 'turnstile', site_key: FIRST_KEYS.siteKey },
}
const failed = { status: 400, body: { error: 'captcha_failed', captcha: 'turnstile', site_key: FIRST_KEYS.siteKey } }
const withoutCaptcha = { status: 429, body: { error: 'rate_limit_exceeded' } }

const solve = (keys = FIRST_KEYS) => world.turnstile.solve(keys.siteKey)

test('a 429 names the captcha, the same for known and unknown addresses, and with a solved one the code is mailed', async () => {
  const network = await usedUpNetwork()
  const [known, unknown] = [(await signIn(world)).email, newEmail()]
  const refused = [await requestFrom(known, network), await requestFrom(unknown, network)]
  for (const reply of refused) {
    expect(reply).toMatchObject(required)
    expect(reply.body).toEqual(refusal(required.body.error, required.body))
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  }
  for (const email of [known, unknown]) {
    const challenge = parseChallenge(await requestFrom(email, network, solve()))
    const grant = { grant_type: 'code', email, code: await readMailedCode(world, email), challenge }
    expect(parseSession(await requestTokens(world, grant, { paywallId: paywalls[0]! })).user).toMatchObject({ email })
  }
  expect(world.turnstile.calls.map(({ secret, remoteip }) => [secret, remoteip])).toEqual(
    Array(2).fill([FIRST_KEYS.secretKey, network]),
  )
})

test('a solved captcha lifts every limit of an address or network and the paywall’s 5,000 mails, but not its 20,000', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  for (let sent = 0; sent < 5; sent++) expect(await requestFrom(email, network)).toMatchObject({ status: 200 })
  expect(await requestFrom(email, network)).toMatchObject(required)
  expect(await requestFrom(email, network, solve())).toMatchObject({ status: 200 })

  await setConsumed(world, 'first mail', `network:${network} paywall:${paywalls[0]}`, 3)
  await setConsumed(world, 'paywall mail', `paywall:${paywalls[0]}`, 5000)
  expect(await requestFrom(newEmail(), network)).toMatchObject(required)
  expect(await requestFrom(newEmail(), network, solve())).toMatchObject({ status: 200 })

  await setConsumed(world, 'all mail', `paywall:${paywalls[0]}`, 20_000)
  const refused = await requestFrom(newEmail(), network, solve())
  expect(refused).toMatchObject(withoutCaptcha)
  expect(refused.body).toEqual(refusal('rate_limit_exceeded'))
})

test('solved captchas allow five mails an hour from a network to an address, and no captcha is offered after that', async () => {
  const [email, network] = [newEmail(), await usedUpNetwork()]
  for (let sent = 0; sent < 5; sent++) expect(await requestFrom(email, network, solve())).toMatchObject({ status: 200 })
  const before = world.turnstile.calls.length
  const refused = await requestFrom(email, network, solve())
  expect(refused.body).toEqual(refusal('rate_limit_exceeded'))
  expect(world.turnstile.calls).toHaveLength(before)
  expect(await requestFrom(newEmail(), network, solve())).toMatchObject({ status: 200 })
  await advanceRefills(world, '12 minutes')
  await setConsumed(world, 'network mail', `network:${network} paywall:${paywalls[0]}`, 100)
  expect(await requestFrom(email, network, solve())).toMatchObject({ status: 200 })
})

test('of 20 concurrent calls with a solved captcha, exactly five send a mail', async () => {
  const [email, network] = [newEmail(), await usedUpNetwork()]
  const replies = await Promise.all(Array.from({ length: 20 }, () => requestFrom(email, network, solve())))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  await world.mail.waitFor(email, { count: 5 })
  expect(mailsTo(email)).toBe(5)
})

test('one token, sent ten times at once, sends one mail', async () => {
  const [email, network, token] = [newEmail(), await usedUpNetwork(), solve()]
  const replies = await Promise.all(Array.from({ length: 10 }, () => requestFrom(email, network, token)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
  await world.mail.waitFor(email)
  expect(mailsTo(email)).toBe(1)
})

test('a token that is not required is not verified, and stays valid', async () => {
  const [email, network, token] = [newEmail(), newNetwork(), solve()]
  for (let sent = 0; sent < 5; sent++) expect(await requestFrom(email, network, token)).toMatchObject({ status: 200 })
  expect(world.turnstile.calls).toEqual([])
  expect(await requestFrom(email, network, token)).toMatchObject({ status: 200 })
})

test('a refusal without a captcha makes one statement, and a call with one makes two', async () => {
  const network = await usedUpNetwork()
  expect(await countStatements(world, () => requestFrom(newEmail(), network))).toBe(1)
  expect(await countStatements(world, () => requestFrom(newEmail(), network, solve()))).toBe(2)
})

describe('nothing is mailed, and nothing consumed,', () => {
  /** Makes a call whose captcha is refused, and expects that nothing was mailed or consumed. */
  async function expectRefusal(token: string, paywallId?: string): Promise<Reply> {
    const [email, network] = [newEmail(), await usedUpNetwork(paywallId)]
    const reply = await requestFrom(email, network, token, paywallId)
    expect(mailsTo(email)).toBe(0)
    const { rows } = await world.database.query(
      "select sum(consumed)::int as sum from rate_limits where name = 'solved mail'",
    )
    expect(rows).toEqual([{ sum: null }])
    return reply
  }

  test('for a made-up token', async () => {
    expect(await expectRefusal('made-up')).toMatchObject(failed)
  })

  test('for a token that was used', async () => {
    const token = solve()
    expect(await requestFrom(newEmail(), await usedUpNetwork(), token)).toMatchObject({ status: 200 })
    await world.database.query('delete from rate_limits')
    expect(await expectRefusal(token)).toMatchObject(failed)
  })

  test('for a token that is older than five minutes', async () => {
    const token = solve()
    world.turnstile.advance(301)
    expect(await expectRefusal(token)).toMatchObject(failed)
  })

  test('for the token of another paywall', async () => {
    expect(await expectRefusal(solve(SECOND_KEYS))).toMatchObject(failed)
    expect(await expectRefusal(solve(FIRST_KEYS), paywalls[1]!)).toMatchObject({
      status: 400,
      body: { site_key: SECOND_KEYS.siteKey },
    })
  })

  test('for any token on a paywall without keys', async () => {
    const reply = await expectRefusal(solve(), paywalls[2]!)
    expect(reply.status).toBe(429)
    expect(reply.body).toEqual(refusal('rate_limit_exceeded'))
    expect(world.turnstile.calls).toEqual([])
  })

  test.each([
    ['is unreachable', () => Promise.reject(new Error('cut'))],
    ['returns an HTML page', () => ({ status: 502, body: '<html>Bad gateway</html>' })],
    ['returns unexpected JSON', () => ({ body: '{"ok":true}' })],
    ['returns success as a string', () => ({ body: '{"success":"true"}' })],
    ['returns an internal error', () => ({ body: '{"success":false,"error-codes":["internal-error"]}' })],
  ])('while Turnstile %s: 503', async (_, answer) => {
    world.turnstile.onCall = answer
    const reply = await expectRefusal(solve())
    expect(reply).toMatchObject({ status: 503, body: { error: 'captcha_unavailable' } })
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('if Turnstile refuses the secret key: 502, and the log names the paywall and no secret', async () => {
    world.turnstile.onCall = () => ({ body: '{"success":false,"error-codes":["invalid-input-secret"]}' })
    const before = world.logs.length
    expect(await expectRefusal(solve())).toMatchObject({ status: 502, body: { error: 'captcha_misconfigured' } })
    const lines = world.logs.slice(before).map(({ message }) => message)
    expect(lines.some((line) => line.includes('Turnstile rejected a secret key') && line.includes(paywalls[0]!))).toBe(
      true,
    )
    expect(lines.filter((line) => line.includes(FIRST_KEYS.secretKey))).toEqual([])
  })

  test.each([
    [
      'sealed for another paywall',
      async (id: string) => seal(FIRST_KEYS.secretKey, world.secrets.TURNSTILE_SECRETS_KEY, `turnstile:${id}`),
    ],
    ['sealed with another key', async () => seal(FIRST_KEYS.secretKey, newKey(), `turnstile:${paywalls[0]}`)],
  ])('if the stored secret key was %s: 502', async (_, sealed) => {
    const { rows } = await world.database.query('select secret_key from turnstile_keys where paywall_id = $1', [
      paywalls[0],
    ])
    const set = (secret: string) =>
      world.database.query('update turnstile_keys set secret_key = $1 where paywall_id = $2', [secret, paywalls[0]])
    await set(await sealed(paywalls[1]!))
    expect(await expectRefusal(solve())).toMatchObject({ status: 502, body: { error: 'captcha_misconfigured' } })
    expect(world.turnstile.calls).toEqual([])
    await set(rows[0].secret_key)
  })
})

test("Cloudflare's test keys behave as it documents", async () => {
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
    outcomes.push((await requestFrom(newEmail(), await usedUpNetwork(id), dummy, id)).status)
  }
  expect(outcomes).toEqual([200, 400, 400])
})

test('a paywall file without the keys turns the captcha off', async () => {
  const file = await paywallFile({ paywall: { turnstile: getKeys('gone') } })
  await world.apply(file)
  const { id } = file.paywalls[0]!
  const network = await usedUpNetwork(id)
  expect(await requestFrom(newEmail(), network, undefined, id)).toMatchObject({
    status: 429,
    body: { captcha: 'turnstile' },
  })
  await world.apply({ ...file, paywalls: file.paywalls.map((each) => ({ ...each, turnstile: null })) })
  expect((await requestFrom(newEmail(), network, undefined, id)).body).toEqual(refusal('rate_limit_exceeded'))
})

test('400 for a captcha_token that is not a string', async () => {
  const body = { email: newEmail(), captcha_token: 7 }
  expect(await requestCode(world, body.email, { body })).toMatchObject({
    status: 400,
    body: { error: 'Invalid captcha_token' },
  })
})
