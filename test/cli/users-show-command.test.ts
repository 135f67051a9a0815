import { beforeAll, expect, test } from 'vitest'
import { signInToConsole } from '../support/console.ts'
import { paywall } from '../support/paywall.ts'
import { cancelAsUser, type Subscriber, subscribe } from '../support/subscriber.ts'
import { changeBalance } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let ann: Subscriber
let owner: string[]

beforeAll(async () => {
  owner = ['--owner', world.file.owner.email]
  const { paywall: sold, key } = world
  ann = await subscribe(world, { paywall: sold, key, owner: 'one' } as never)
  await changeBalance(world, { user_id: ann.id, type: 'premium', amount: 7 })
  await cancelAsUser(world, ann)
  await world.stripe.drainWebhooks()
})

const run = (...args: string[]) => paywall(world, args)

test.for(['email', 'id', 'subscriptionId', 'purchaseId'] as const)('finds a user by its %s', async (name) => {
  const { out, code } = await run('users', 'find', ann[name], ...owner)
  expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^${ann.id}  ${ann.email}  access  purchases: 1`))])
  const { out: json } = await run('users', 'find', ann[name], ...owner, '--json')
  expect(JSON.parse(json)).toMatchObject({ users: [{ id: ann.id, has_access: true }] })
})

test('finds nobody by what is no name', async () => {
  const { out, code } = await run('users', 'find', 'nobody@example.com', ...owner)
  expect([code, out.trim()]).toEqual([0, 'Nobody was found for nobody@example.com.'])
})

test('shows why a user has access, as the console does, and what happened', async () => {
  const { out, code } = await run('users', 'show', ann.email, ...owner)
  const [, sentence = 'no sentence'] = /^(Access: .*was cancelled: access ends on .*)$/m.exec(out) ?? []
  const visitor = await signInToConsole(world, world.file.owner.email)
  expect((await visitor.get(`/test/users/${ann.id}`)).text).toContain(sentence)
  expect(code).toBe(0)
  expect(out).toMatch(new RegExp(`^purchase ${ann.purchaseId}  active +stripe`, 'm'))
  expect(out).toMatch(/^payment [0-9a-f-]{36} +succeeded +9\.99 USD/m)
  expect(out).toMatch(/^premium tokens +7$/m)
  expect(out).toMatch(/ subscription\.cancel_scheduled +evt_/)
  const { out: json } = await run('users', 'show', ann.email, ...owner, '--json')
  expect(JSON.parse(json)).toMatchObject({
    user: { id: ann.id },
    memberships: [{ purchases: [{ id: ann.purchaseId }] }],
  })
})
