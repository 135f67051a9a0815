import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { type AccountRecords, accountRecords } from '../../dev/emulators/core/acts/account-records.ts'
import type { Capabilities } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { AccountControls } from '../conformance/drivers/driver.ts'
import { getAccountControls } from '../conformance/drivers/drivers.ts'
import type { Session } from '../support/sign-in.ts'
import type { TestWorld } from '../support/world.ts'
import type { Kind } from './history.ts'
import type { PartialLife } from './parts.ts'

/** The world as the people of a life have it: their own paywall, as its owner has it in its file now. */
export type LifeWorld = Omit<TestWorld, 'paywall'> & { paywall: FilePaywall }

/** What a page was opened to sell. */
export interface Order {
  slug: string
  amount: number
  currency: string
  /** Whether it is to replace the subscriptions that its buyer has. */
  replaces: boolean
}

/** A person in a life, and what it knows: only what responses have contained. */
export interface Person {
  kind: Kind
  email: string
  /** With the paywall that it is on. */
  world: LifeWorld
  /** Null until a checkout or a sign-in has returned it. */
  userId: string | null
  /** Of who makes its own calls, once it has one. */
  session: Session | null
  /** The addresses that were given for each idempotency key of a checkout, and what the page of each address sells. */
  addresses: Map<string, Set<string>>
  orders: Map<string, Order>
  /** Whether it has bought something to replace what it had: that takes a while. */
  replaces: boolean
  /** The page that it has left without paying, to which it comes back; and the one on which it has last pressed a button. */
  leftUrl: string | null
  pageUrl: string | null
  /** What it has bought, by the processor's ids. */
  bought: Set<string>
  /** Of premium tokens: what was acknowledged, and each change whose outcome it does not know. When it has last used daily ones. */
  tokens: { known: number; unknown: number[]; spentDailyAt: Date | null }
  /** Our ids of subscriptions that it has asked to cancel, and of those whose cancellation was acknowledged and not taken back since. */
  cancelling: Set<string>
  cancelled: Set<string>
}

/** The people of a life, and all that they share. */
export interface Company {
  life: PartialLife
  /** With its only paywall, or the first of those that share an account; and with each of these. */
  world: LifeWorld
  worlds: LifeWorld[]
  people: Person[]
  /** What its processor can and cannot do, what can happen there, and what is stored there of this life alone. */
  capabilities: Capabilities
  account: AccountControls
  records: AccountRecords
  /** When something last happened at the processor that time alone does not bring, by the paywall's clock; null: nothing has. */
  lastHappening: Date | null
  /** What was cancelled or ended at the processor itself, by its ids. */
  stoppedThere: Set<string>
  /** When a scheduled end was last undone there, in unix seconds, by the subscription's id. */
  undone: Map<string, number>
  /** What was wrong in the middle of it. */
  faults: Set<string>
}

/** Who is on two paywalls is one person on each, with the same address, which `name` is part of. */
export function createCompany(life: PartialLife, worlds: LifeWorld[], name: string): Company {
  const { processor } = life
  const world = worlds[0]!
  const { id } = world.paywall
  return {
    life,
    world,
    worlds,
    people: life.people.flatMap((kind, place) =>
      worlds.map((each) => newPerson(kind, `life-${name}-${place}@buyers.dev`, each)),
    ),
    capabilities: DEFINITIONS[processor].capabilities,
    account: getAccountControls(world, world.paywall),
    records: accountRecords(world[processor], id),
    lastHappening: null,
    stoppedThere: new Set(),
    undone: new Map(),
    faults: new Set(),
  }
}

const newPerson = (kind: Kind, email: string, world: LifeWorld): Person => ({
  kind,
  email,
  world,
  userId: null,
  session: null,
  bought: new Set<string>(),
  cancelling: new Set<string>(),
  cancelled: new Set<string>(),
  replaces: false,
  leftUrl: null,
  pageUrl: null,
  addresses: new Map(),
  orders: new Map(),
  tokens: { known: 0, unknown: [], spentDailyAt: null },
})
