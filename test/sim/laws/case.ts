import { type UserState, userState } from '../../support/user-state.ts'
import type { TakenEvent } from '../owner-backend.ts'
import type { Company, LifeWorld, Order } from '../person.ts'
import { getTruth, type Truth } from '../truth.ts'
import { type Change, getChanges } from './changes.ts'

export type Purchase = UserState['purchases'][number]

/** A user on a paywall, and what it is shown. */
export interface Member extends UserState {
  userId: string
  world: LifeWorld
}

/** What the service shows of a purchase, what else its row has, and the events that its owner got. */
export interface Shown extends Purchase {
  /** Whose it is. */
  member: Member
  processorId: string
  /** Its hosted page's address. */
  url: string | null
  /** Empty for what is bought once. */
  changes: Change[]
}

/** What came to the owner's backend, and whether that is all there was. */
export interface Knowledge {
  /** How often a processor replied that opening a checkout had failed. */
  refusedCheckouts: number
  /** Whether every webhook has come, and there was one for everything that happened. */
  everything: boolean
  /** Whether so much calm time has passed that what no webhook reported was looked up, and what failed was done again. */
  settled: boolean
}

/** The state of a life at a moment, as laws see it. */
export interface Case {
  company: Company
  truth: Truth
  /** Those who its people are now: two who were merged are one. */
  members: Member[]
  shown: Shown[]
  /** The owner's events, in the order in which they happened. */
  events: TakenEvent[]
  known: Knowledge
  now: Date
}

/** What the page of a purchase was opened to sell. */
export const findOrder = ({ people }: Company, purchase: Pick<Shown, 'url'> | undefined): Order | undefined =>
  people.flatMap(({ orders }) => orders.get(purchase?.url ?? '') ?? [])[0]

/** What must hold of every life. Gives what does not. */
export interface Law {
  name: string
  faults(life: Case): string[] | Promise<string[]>
}

export async function createCase(company: Company, events: TakenEvent[], known: Knowledge): Promise<Case> {
  const { world } = company
  const [members, rows] = [await readMembers(company), await readRows(company)]
  const inOrder = events.toSorted(byTime)
  const changes = getChanges(inOrder)
  const shown = members.flatMap((member) =>
    member.purchases.flatMap((purchase) => {
      const row = rows.find(({ id }) => id === purchase.id)
      return row ? { ...purchase, ...row, member, changes: changes.get(purchase.id) ?? [] } : []
    }),
  )
  const now = await world.clock.now(world.paywall.id)
  return { company, truth: getTruth(company), members, shown, events: inOrder, known, now }
}

const byTime = (one: TakenEvent, other: TakenEvent) =>
  one.timestamp.localeCompare(other.timestamp) || one.data.sequence - other.data.sequence

/** Whoever was merged is the other one from then on. */
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
  const { rows } = await world.database.query<Pick<Shown, 'id' | 'processorId' | 'url'>>(
    `select p.id, p.processor_id as "processorId", c.url
     from purchases p join checkouts c on c.id = p.checkout_id where p.paywall_id = any ($1)`,
    [worlds.map(({ paywall }) => paywall.id)],
  )
  return rows
}
