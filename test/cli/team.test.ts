import { afterAll, expect, test } from 'vitest'
import { openApplying } from '../support/applying.ts'

const { query, someOwner, close } = await openApplying()

afterAll(close)

const readTeam = (id: string) =>
  query(
    'select t.email, t.role from team_members t join paywalls p using (owner_id) where p.id = $1 order by t.email',
    id,
  )

test('the team is what the file says: added, with another role, removed', async () => {
  const { id, apply, plan } = someOwner()
  const ann = { email: 'Ann@Acme.example', role: 'support' }
  const bob = { email: 'bob@acme.example', role: 'viewer' }
  await apply({ team: [ann, bob] })
  expect(await readTeam(id)).toEqual([
    { email: 'ann@acme.example', role: 'support' },
    { email: 'bob@acme.example', role: 'viewer' },
  ])
  expect((await plan({ team: [ann, bob] })).changes).toEqual([])

  const { changes } = await apply({ team: [{ ...ann, role: 'admin' }] })
  expect(changes.map(({ what, how }) => `${what}: ${how}`)).toEqual([
    'team ann@acme.example: now admin',
    'team bob@acme.example: removed',
  ])
  expect(await readTeam(id)).toEqual([{ email: 'ann@acme.example', role: 'admin' }])
})

test('two owners may have the same member in different roles', async () => {
  const [one, other] = [someOwner(), someOwner()]
  await one.apply({ team: [{ email: 'carl@agency.example', role: 'admin' }] })
  await other.apply({ team: [{ email: 'carl@agency.example', role: 'viewer' }] })
  await one.apply({ team: [] })
  expect(await readTeam(one.id)).toEqual([])
  expect(await readTeam(other.id)).toEqual([{ email: 'carl@agency.example', role: 'viewer' }])
})

test.for([
  [[{ email: 'nobody', role: 'admin' }], /team\[0\]\.email/],
  [[{ email: 'ann@acme.example', role: 'boss' }], /team\[0\]\.role/],
  [
    [
      { email: 'ann@acme.example', role: 'admin' },
      { email: ' ANN@acme.example', role: 'viewer' },
    ],
    /team\[1\]\.email: is the same as in entry 0/,
  ],
] as const)('an invalid team is refused with its path: %j', async ([team, problem]) => {
  await expect(someOwner().file({ team })).rejects.toThrow(problem)
})

test('the owner is no member of the team', async () => {
  const owner = someOwner()
  await expect(owner.file({ team: [{ email: owner.own['owner.email'], role: 'viewer' }] })).rejects.toThrow(
    /team\[0\]\.email: is the owner/,
  )
})
