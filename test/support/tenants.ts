import { beforeAll } from 'vitest'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import { buy, newEmail } from './checkout.ts'
import { signIn } from './exchange.ts'
import { type FileOverrides, livePaywallFile, paywallFile, writtenWebhooks } from './paywall-file.ts'
import { startTestWorld, type TestWorld } from './world.ts'

/** A paywall and a valid key for it. */
export interface Tenant {
  file: PaywallFile
  paywall: FilePaywall
  key: string
}

export interface Person {
  id: string
  email: string
  token: string
}

/** A world with users of ours, and with other owners whose users and paywalls could be mixed up with ours. */
export interface Tenants {
  world: TestWorld
  ours: Tenant
  /** Another owner. */
  foreign: Tenant
  /** A third owner, whose paywall and key are live. */
  live: Tenant
  /** Our user, who has bought nothing. */
  member: Person
  /** Our user, who pays monthly. All webhooks about the first payment have arrived. */
  payer: Person
  /** A user of the other owner's paywall only. */
  stranger: Person
  close(): Promise<void>
}

export async function startTenants(file: FileOverrides = {}): Promise<Tenants> {
  const world = await startTestWorld({ file })
  const ours = tenant(world.file)
  const [foreign, live] = [tenant(await paywallFile()), tenant(await livePaywallFile())]
  await world.apply(foreign.file)
  await world.apply(live.file)
  const [member, stranger] = await Promise.all([person(world, ours), person(world, foreign)])
  const email = newEmail()
  await buy(world, { paywall: ours.paywall, key: ours.key, email })
  await world.stripe.drainWebhooks()
  const payer = await person(world, ours, email)
  return { world, ours, foreign, live, member, payer, stranger, close: () => world.close() }
}

export function tenant(file: PaywallFile): Tenant {
  return { file, paywall: file.paywalls[0]!, key: file.keys[0]?.secret ?? '' }
}

/** The paywall of a world's own file. Only tests and hooks may read it, once the world has started. */
export function useTenant(world: TestWorld): Tenant {
  const ours = {} as Tenant
  beforeAll(() => {
    Object.assign(ours, tenant(world.file))
  })
  return ours
}

/** A paywall of a new owner, so that no cache knows it. */
export async function newTenant(world: TestWorld, paywall: Record<string, unknown> = {}): Promise<Tenant> {
  const added = tenant(await paywallFile({ paywall }))
  await world.apply(added.file)
  return added
}

/** The world as seen from a paywall of a new owner with the same webhook URL: so it has a clock of its own. */
export async function atNewPaywall(world: TestWorld, paywall: Record<string, unknown> = {}): Promise<TestWorld> {
  const added = tenant(await paywallFile({ paywall, webhooks: writtenWebhooks(world.file) }))
  await world.apply(added.file)
  return { ...world, ...added }
}

export function person(world: TestWorld, { paywall, key }: Tenant, email = newEmail()): Promise<Person> {
  return signIn(world, { paywallId: paywall.id, key, email })
}

/** Each paywall of a file, with a key of its mode. */
export function getTenants(file: PaywallFile): Tenant[] {
  return file.paywalls.map((paywall) => {
    const key = file.keys.find(({ is_test }) => is_test === paywall.is_test)?.secret
    if (!key) throw new Error(`the file has no key for paywall ${paywall.id}`)
    return { file, paywall, key }
  })
}

/** The path of an endpoint of a paywall. */
export const at = ({ paywall }: Pick<Tenant, 'paywall'>, endpoint: string) =>
  `/api/v1/paywall/${paywall.id}/${endpoint}`
