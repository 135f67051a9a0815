import { credit } from '../support/anonymous.ts'
import { forgeFor } from '../support/forge.ts'
import { readAudience } from '../support/owner-id.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Person, person, type Tenant, tenant } from '../support/tenants.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

/** The owners, users and tokens that exist before the hostile requests, and that these may use. */
export interface People {
  world: TestWorld
  ours: Tenant
  /** Another owner, whom no valid request is about. */
  neighbour: Tenant
  neighbours: Subscriber
  subscribers: readonly [Subscriber, ...Subscriber[]]
  members: readonly [Person, ...Person[]]
  anonymous: string
  expired: string
}

export async function startPeople(): Promise<People> {
  const world = await startTestWorld()
  const ours = tenant(world.file)
  const neighbour = tenant(await paywallFile())
  await world.apply(neighbour.file)
  const neighbours = await subscribe(world, neighbour)
  const subscribers = [await subscribe(world, ours), await subscribe(world, ours, 'yearly')] as const
  const members = [await person(world, ours), await person(world, ours)] as const
  for (const { id } of members) await credit(world, id, 1_000, 'standard')
  const anonymous = await signInAnonymously(world)
  const expired = forgeFor(world, members[0], await readAudience(world, ours.paywall.id)).token({}, { exp: 1 })
  return { world, ours, neighbour, neighbours, subscribers, members, anonymous: anonymous.token, expired }
}
