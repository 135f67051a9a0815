import { type UserState, userState } from '../../support/user-state.ts'
import type { OwnerEvent } from '../owner-backend.ts'
import type { Company, LifeWorld, Order } from '../person.ts'
import { type ProcessorState, readProcessorState } from '../processor-state.ts'
import { type Change, getChanges } from './changes.ts'

export const [HOUR_SECONDS, DAY_SECONDS] = [3_600, 86_400]

export type Purchase = UserState['purchases'][number]

/** A user on a paywall, with the state that `user` returns. */
export interface Member extends UserState {
  userId: string
  world: LifeWorld
}

/** A purchase as the service returns it, other fields of its row, and the events about it. */
export interface StoredPurchase extends Purchase {
  /** The user who has it. */
  member: Member
  processorId: string
  /** The URL of its hosted page. */
  url: string | null
  /** Empty for a one-time purchase. */
  changes: Change[]
}

/** What the service can know at the time of the check. */
export interface Knowledge {
  /** How often a processor responded that opening a checkout had failed. */
  refusedCheckouts: number
  /** Whether every change at the processor was reported by a webhook, and all of them arrived. */
  everything: boolean
  /** Whether enough time has passed without faults for reconcile to find what no webhook reported, and to repeat what failed. */
  isQuiet: boolean
}

/** The state of a life that the invariants check. */
export interface Case {
  company: Company
  processorState: ProcessorState
  /** The users of its people. Merged users count as one. */
  members: Member[]
  purchases: StoredPurchase[]
  /** The owner's events, in the order in which they happened. */
  events: OwnerEvent[]
  known: Knowledge
  now: Date
}

/** What the page of a purchase was opened to sell. */
export const findOrder = ({ people }: Company, purchase: Pick<StoredPurchase, 'url'> | undefined): Order | undefined =>
  people.flatMap(({ orders }) => orders.get(purchase?.url ?? '') ?? [])[0]

/** The sale of a purchase at the processor. */
export const findSale = ({ processorState: { sales } }: Case, { processorId }: Pick<StoredPurchase, 'processorId'>) =>
  sales.find((sale) => sale.processorId === processorId)

/** A condition that must hold for every life. */
export interface Invariant {
  name: string
  /** Returns the violations. */
  faults(life: Case): string[] | Promise<string[]>
}

export async function createCase(company: Company, events: OwnerEvent[], known: Knowledge): Promise<Case> {
  const { world } = company
  const [members, rows] = [await readMembers(company), await readRows(company)]
  const inOrder = events.toSorted(byTime)
  const changes = getChanges(inOrder)
  const purchases = members.flatMap((member) =>
    member.purchases.flatMap((purchase) => {
      const row = rows.find(({ id }) => id === purchase.id)
      return row ? { ...purchase, ...row, member, changes: changes.get(purchase.id) ?? [] } : []
    }),
  )
  const now = await world.clock.now(world.paywall.id)
  return { company, processorState: readProcessorState(company), members, purchases, events: inOrder, known, now }
}

const byTime = (one: OwnerEvent, other: OwnerEvent) =>
  one.timestamp.localeCompare(other.timestamp) || one.data.sequence - other.data.sequence

/** Reads the users. A merged user is read as the one into which it was merged. */
async function readMembers({ world, worlds, people }: Company): Promise<Member[]> {
  const known = people.flatMap(({ userId }) => userId ?? [])
  const { rows } = await world.database.query<{ paywallId: string; userId: string }>(
    `select distinct m.paywall_id as "paywallId", coalesce(m.merged_into, m.user_id) as "userId" from members m
     where m.paywall_id = any ($1) and m.user_id = any ($2::uuid[])`,
    [worlds.map(({ paywall }) => paywall.id), known],
  )
  return Promise.all(
    rows.map(async ({ paywallId, userId }) => {
      const there = worlds.find(({ paywall }) => paywall.id === paywallId)!
      return { userId, world: there, ...(await userState(there, userId)) }
    }),
  )
}

async function readRows({ world, worlds }: Company) {
  const { rows } = await world.database.query<Pick<StoredPurchase, 'id' | 'processorId' | 'url'>>(
    `select p.id, p.processor_id as "processorId", c.url
     from purchases p join checkouts c on c.id = p.checkout_id where p.paywall_id = any ($1)`,
    [worlds.map(({ paywall }) => paywall.id)],
  )
  return rows
}
