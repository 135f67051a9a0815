import type * as z from 'zod'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { type AccountRecords, accountRecords } from '../../dev/emulators/core/acts/account-records.ts'
import type { Preview } from '../../functions/change-plan/contract.ts'
import type { Capabilities } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { AccountControls } from '../conformance/drivers/driver.ts'
import { getAccountControls } from '../conformance/drivers/drivers.ts'
import type { Sale } from '../conformance/drivers/sale.ts'
import type { Reply } from '../support/call.ts'
import type { Session } from '../support/sign-in.ts'
import type { TestWorld } from '../support/world.ts'
import type { Kind } from './history.ts'
import type { PartialLife } from './parts.ts'
import type { Slug } from './step.ts'

/** The world as seen from a paywall of a life. `paywall` is as in the current file of the owner. */
export type LifeWorld = Omit<TestWorld, 'paywall'> & { paywall: FilePaywall }

/** What a page was opened to sell. */
export interface Order {
  slug: string
  amount: number
  currency: string
  quantity: number
  /** Whether the purchase is to replace the existing subscriptions of the buyer. */
  replaces: boolean
  /** What the offer of the price takes off it; 0: it was not used. */
  takenOff: number
}

/** A call of start-checkout that named an offer, by the paywall's clock. */
export interface OfferUse {
  person: Person
  slug: Slug
  at: Date
  /** Why the offer was refused; null: it was not, or the outcome is unknown. */
  refusal: string | null
  /** Whether a button of its page was pressed, which may have paid it. */
  isPressed: boolean
}

/** A change of plan as change-plan takes it, and what it was shown to cost. */
export interface Quote {
  change: { priceId: string; quantity?: number; when: 'now' | 'period_end' }
  shown: z.output<typeof Preview>
  /** What the payments by then came to. */
  paid: number
}

/** A change of plan that was requested with a quote. */
export interface QuotedChange extends Pick<Quote, 'shown'> {
  /** When it was requested, by the paywall's clock. */
  at: Date
  /** What was paid between the preview and the request. */
  paidSince: number
  /** Null: the outcome is unknown. */
  reply: Reply | null
  /** The sales at the processor before and after it, and the amounts that were charged meanwhile. */
  before: Sale[]
  after: Sale[]
  charged: number[]
}

/** A person in a life. The person knows of the service only what responses have contained. */
export interface Person {
  kind: Kind
  email: string
  /** The world, with the paywall that the person is on. */
  world: LifeWorld
  /** Null until a checkout or a sign-in has returned it. */
  userId: string | null
  /** The session of a person who makes the calls (see `Kind`); null: none yet. */
  session: Session | null
  /** The page URLs that were returned for each idempotency key of a checkout, and what the page at each URL sells. */
  addresses: Map<string, Set<string>>
  orders: Map<string, Order>
  /** Whether the person has bought something that replaces existing subscriptions. Stopping those takes a while. */
  replaces: boolean
  /** The page that was left without paying, to be paid later; and the page on which a button was last pressed. */
  leftUrl: string | null
  pageUrl: string | null
  /** The processor's ids of the person's purchases. */
  bought: Set<string>
  /** The change of plan that the person was shown last and has not made. */
  quote: Quote | null
  /** For premium tokens: the sum of acknowledged changes, and each change of unknown outcome; and when daily tokens were last used. */
  tokens: { known: number; unknown: number[]; spentDailyAt: Date | null }
  /** Our ids of the subscriptions that the person tried to cancel, and of those whose cancellation was acknowledged and not undone. */
  cancelling: Set<string>
  cancelled: Set<string>
}

/** The people of a life, and everything that they share. */
export interface Company {
  life: PartialLife
  /** The world with the only paywall, or with the first of those that share an account; and the world with each of these. */
  world: LifeWorld
  worlds: LifeWorld[]
  people: Person[]
  /** What the processor supports, what can happen there, and what is stored there of this life alone. */
  capabilities: Capabilities
  account: AccountControls
  records: AccountRecords
  /** When something last happened at the processor that time alone does not cause, by the paywall's clock; null: never. */
  lastActAt: Date | null
  /** The processor's ids of the subscriptions that were cancelled or ended at the processor itself. */
  stoppedAtProcessor: Set<string>
  /** When a scheduled end was last undone at the processor, in Unix seconds, by its id of the subscription. */
  undone: Map<string, number>
  offerUses: OfferUse[]
  /** The changes of plan that were requested as they had been shown. */
  quotedChanges: QuotedChange[]
  /** The violations that were found while the life was played. */
  faults: Set<string>
}

/** Creates the people of a life. On each of several paywalls there is one person with the same address, which contains `name`. */
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
    lastActAt: null,
    stoppedAtProcessor: new Set(),
    undone: new Map(),
    offerUses: [],
    quotedChanges: [],
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
  quote: null,
  tokens: { known: 0, unknown: [], spentDailyAt: null },
})
