import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { signIn } from '../support/exchange.ts'
import { createGrant, endGrant, parseGranted } from '../support/grant-calls.ts'
import { runDeliveryCron } from '../support/mailbox.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { isCallStatement } from '../support/statements.ts'
import { changeBalance } from '../support/token-calls.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// Repeated and concurrent calls, and merges.

const world = useTestWorld()

const many = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

const newKey = () => ({ headers: { 'idempotency-key': randomUUID() } })

const countGrants = async (userId: string) =>
  (await world.database.query('select from grants where user_id = $1', [userId])).rowCount

test('50 concurrent calls with one Idempotency-Key create one grant with one event, and get the same reply', async () => {
  const { id: user_id } = await signIn(world)
  const key = newKey()
  const replies = await many(50, () => createGrant(world, { user_id }, key))
  const [first] = replies.map(parseGranted)
  expect(replies.map(({ body }) => body)).toEqual(Array(50).fill(first))
  expect(replies.filter(({ headers }) => headers['idempotency-replayed'] !== 'true')).toHaveLength(1)
  expect(await countGrants(user_id)).toBe(1)
  expect((await ownerEvents(world, user_id)).map(({ type, times }) => [type, times])).toEqual([['grant.created', 1]])

  const reused = { status: 409, body: { error: 'idempotency_key_reused' } }
  expect(await createGrant(world, { user_id, days: 31 }, key)).toMatchObject(reused)
  expect(await changeBalance(world, { user_id }, key)).toMatchObject(reused)
  expect(await countGrants(user_id)).toBe(1)
})

test('without an Idempotency-Key each call creates a grant, and the events of all are in order', async () => {
  const { id: user_id } = await signIn(world)
  const granted = (await many(20, () => createGrant(world, { user_id }))).map(parseGranted)
  expect(new Set(granted.map(({ grant }) => grant.id)).size).toBe(20)
  expect(await countGrants(user_id)).toBe(20)
  await many(20, (index) => endGrant(world, granted[index]!.grant.id))
  const events = await ownerEvents(world, user_id)
  expect(events).toHaveLength(40)
  expect(findSequenceErrors(events)).toEqual([])
  expect(await userState(world, user_id)).toMatchObject({ paid: false })
})

test('of 20 concurrent calls that end a grant, one ends it', async () => {
  const { id: user_id } = await signIn(world)
  const { grant } = parseGranted(await createGrant(world, { user_id }))
  const ended = (await many(20, () => endGrant(world, grant.id))).map(parseGranted)
  expect(new Set(ended.map((each) => each.grant.ended_at)).size).toBe(1)
  expect((await ownerEvents(world, user_id)).map(({ type }) => type)).toEqual(['grant.created', 'grant.ended'])
})

test('grants that end by themselves while others are created and ended emit each event once, in order', async () => {
  const { id: user_id } = await signIn(world)
  const granted = (await many(30, () => createGrant(world, { user_id }))).map(parseGranted)
  await world.database.query(
    "update grants set created_at = now() - interval '2 days', ends_at = now() - interval '1 day' where user_id = $1",
    [user_id],
  )
  await Promise.all([
    ...[1, 2, 3].map(() => world.workers.scheduled('reconcile')),
    many(10, (index) => endGrant(world, granted[index]!.grant.id)),
    many(10, () => createGrant(world, { user_id })),
  ])
  await world.workers.scheduled('reconcile')
  const events = await ownerEvents(world, user_id)
  expect(findSequenceErrors(events)).toEqual([])
  const ended = events.filter(({ type }) => type === 'grant.ended').map(({ data }) => Object(data.grant).id)
  expect(ended.toSorted()).toEqual(granted.map(({ grant }) => grant.id).toSorted())
  expect(events.filter(({ type }) => type === 'grant.created')).toHaveLength(40)
})

test('a call whose outcome is unknown has no Retry-After and says so, and is harmless with a key', async () => {
  const { id: user_id } = await signIn(world)
  const lose = () => {
    world.neon.onStatement = async (statement, run) => {
      const result = await run()
      if (!isCallStatement(statement)) return result
      world.neon.onStatement = undefined
      throw new ResponseLost()
    }
  }
  lose()
  const unknown = await createGrant(world, { user_id })
  expect(unknown).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
  expect(unknown.headers).not.toHaveProperty('retry-after')
  expect(Object(unknown.body).message).toContain('unknown whether access was granted')
  expect(await countGrants(user_id)).toBe(1)

  lose()
  const key = newKey()
  const lost = await createGrant(world, { user_id }, key)
  expect(lost).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } })
  expect(await createGrant(world, { user_id }, key)).toMatchObject({
    status: 200,
    headers: { 'idempotency-replayed': 'true' },
  })
  expect(await countGrants(user_id)).toBe(2)
})

test('a merge moves the grants of both users to the one that remains, who can then be named by either id', async () => {
  const anonymous = await signInAnonymously(world)
  const known = await signIn(world)
  const [moved, own] = [
    parseGranted(await createGrant(world, { user_id: anonymous.user.id })).grant,
    parseGranted(await createGrant(world, { user_id: known.id, days: 40 })).grant,
  ]
  await signInByMail(world, known.email, { token: anonymous.token })
  for (const id of [known.id, anonymous.user.id]) {
    expect(await userState(world, id)).toMatchObject({ paid: true, grants: [own, moved], access_until: own.ends_at })
  }
  expect(parseGranted(await endGrant(world, moved.id)).user_id).toBe(known.id)
  expect(parseGranted(await createGrant(world, { user_id: anonymous.user.id })).user_id).toBe(known.id)
})

test('users that are merged while grants are created and ended keep all of them', async () => {
  for (let round = 0; round < 5; round++) {
    const [from, into] = [await signIn(world), await signIn(world)]
    const first = parseGranted(await createGrant(world, { user_id: from.id })).grant
    const owner = world.file.owner.email
    const [replies] = await Promise.all([
      many(10, (index) => (index === 5 ? endGrant(world, first.id) : createGrant(world, { user_id: from.id }))),
      paywall(world, ['users', 'merge', from.id, into.id, '--owner', owner]),
    ])
    expect(replies.filter(({ status }) => status !== 200)).toEqual([])
    expect(await countGrants(into.id)).toBe(10)
    expect(await countGrants(from.id)).toBe(0)
    await runDeliveryCron(world) // nothing wakes the deliveries of a merge by the command
    expect(findSequenceErrors(await ownerEvents(world, into.id)).length).toBe(0)
  }
})
