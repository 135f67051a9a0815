// An operator merges a user while that user signs in or refreshes its session.
import { expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { readRelease } from '../../cli/migrate/release.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { getGrant, parseSession, refresh, requestTokens, signInByMail } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const readState = (token: string) => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })
const exchange = (email: string) =>
  call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/exchange`, { key: world.key, body: { email } })

/** The number of statements that wait for a lock. */
async function countLockWaits(): Promise<number> {
  const { rows } = await world.database.query(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0].count
}

/** Makes a call after `paywall users merge` has done its work and before it commits. */
function callDuringMerge(fromId: string, intoId: string, request: () => Promise<Reply>): Promise<Reply> {
  return withClient(world.databaseUrl, async (client) => {
    await client.query(`begin; set local search_path = ${readRelease().name}, public`)
    await client.query('select from users where id in ($1, $2) order by id for no key update', [fromId, intoId])
    await client.query('select merge_users($1, $2)', [fromId, intoId])
    await client.query('update users set email = null where id = $1', [fromId])
    let answered = false
    const reply = request().finally(() => {
      answered = true
    })
    await until('the call waits for a lock or has returned', async () => answered || (await countLockWaits()) === 1)
    await client.query('commit')
    return reply
  })
}

test.each([
  ['by a mailed code', async (email: string) => requestTokens(world, await getGrant(world, email))],
  ['through its owner', exchange],
])('a user who signs in %s while it is merged gets valid tokens', async (_, ask) => {
  const [from, into] = [await signIn(world), await signIn(world)]
  const session = parseSession(await callDuringMerge(from.id, into.id, () => ask(from.email)))
  expect(session.user.id).not.toBe(from.id)
  expect(await readState(session.token)).toMatchObject({ status: 200 })
  expect(await readState(parseSession(await refresh(world, session.refreshToken)).token)).toMatchObject({ status: 200 })
})

test('a session of a merged user gets no new tokens and is ended', async () => {
  const [from, into] = [await signInByMail(world, newEmail()), await signIn(world)]
  await withClient(world.databaseUrl, async (client) => {
    await client.query(`begin; set local search_path = ${readRelease().name}, public`)
    await client.query('select merge_users($1, $2)', [from.user.id, into.id])
    // Like a session from a release in which a merge could overlook it.
    await client.query('update sign_in_sessions set ended_at = null where user_id = $1', [from.user.id])
    await client.query('commit')
  })
  expect(await refresh(world, from.refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const { rows } = await world.database.query('select ended_at from sign_in_sessions where user_id = $1', [
    from.user.id,
  ])
  expect(rows).toEqual([{ ended_at: expect.any(Date) }])
})
