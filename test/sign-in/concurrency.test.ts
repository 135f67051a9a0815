import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { credit } from '../support/anonymous.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { getGrant, parseSession, requestTokens, signInAnonymously, wrong } from '../support/sign-in.ts'
import { countReplies } from '../support/token-calls.ts'
import { verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ file: { paywalls: [{}, {}] } })

const times = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))
const invalidGrant = '400 {"error":"invalid_grant"}'

test('of 20 concurrent wrong guesses exactly five are counted, and the right code is refused after them', async () => {
  for (let round = 0; round < 3; round++) {
    const grant = await getGrant(world, newEmail())
    const replies = await times(20, (index) => requestTokens(world, wrong(grant, index + 1)))
    expect(countReplies(replies)).toEqual({ [invalidGrant]: 20 })
    const { rows } = await world.database.query('select guesses from sign_in_challenges where email = $1', [
      grant.email,
    ])
    expect(rows).toEqual([{ guesses: 5 }])
    expect(countReplies([await requestTokens(world, grant)])).toEqual({ [invalidGrant]: 1 })
  }
})

test('the right code, used 20 times at once, signs in once', async () => {
  for (let round = 0; round < 3; round++) {
    const grant = await getGrant(world, newEmail())
    expect(countReplies(await times(20, () => requestTokens(world, grant)))).toEqual({ '200': 1, [invalidGrant]: 19 })
  }
})

test('an anonymous sign-in that is sent 20 times at once with one Idempotency-Key creates one user', async () => {
  const count = async () => (await world.database.query('select from users')).rowCount ?? 0
  for (let round = 0; round < 3; round++) {
    const before = await count()
    const at = { headers: { 'idempotency-key': randomUUID() } }
    const replies = await times(20, () => requestTokens(world, { grant_type: 'anonymous' }, at))
    expect(new Set(replies.map((reply) => parseSession(reply).refreshToken)).size).toBe(1)
    expect(await count()).toBe(before + 1)
  }
})

test('exchanges concurrent with the sign-in of an anonymous user with the same address give one user, and nothing is lost', async () => {
  for (let round = 0; round < 8; round++) {
    const email = newEmail()
    const anonymous = await signInAnonymously(world)
    await credit(world, anonymous.user.id, 7)
    const grant = await getGrant(world, email)
    const [signedIn, ...exchanged] = await Promise.all([
      requestTokens(world, grant, { token: anonymous.token }),
      ...Array.from({ length: 3 }, () => signIn(world, { email })),
    ])
    const { user } = parseSession(signedIn)
    expect(new Set([user.id, ...exchanged.map(({ id }) => id)]).size).toBe(1)
    expect(await verifiedBalances(world, user.id)).toMatchObject({ premium: 7 })
  }
})

test('concurrent sign-ins with one address on two paywalls of an owner give one user, and no tokens are lost', async () => {
  const paywallId = world.file.paywalls[1]!.id
  for (let round = 0; round < 5; round++) {
    const email = newEmail()
    const [first, second] = [await signInAnonymously(world), await signInAnonymously(world, { paywallId })]
    await credit(world, first.user.id, 7)
    const [firstGrant, secondGrant] = [await getGrant(world, email), await getGrant(world, email, { paywallId })]
    const sessions = await Promise.all([
      requestTokens(world, firstGrant, { token: first.token }).then(parseSession),
      requestTokens(world, secondGrant, { paywallId, token: second.token }).then(parseSession),
    ])
    expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1)
    expect(await verifiedBalances(world, sessions[0].user.id)).toMatchObject({ premium: 7 })
  }
})
