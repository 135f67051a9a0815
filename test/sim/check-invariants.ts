// Checks a life: whether what the service stores and returns agrees with the processor's records, with what people were promised, and with
// the events that the owner received.
import { ACCESS, ACCESS_UNTIL } from './invariants/access.ts'
import { ALARMS } from './invariants/alarms.ts'
import { type Case, createCase, type Invariant, type Knowledge } from './invariants/case.ts'
import {
  COMPLETED,
  LAST,
  OF_ITS_MODE,
  OF_ITS_TYPE,
  PREVIOUS,
  RENEWALS,
  SEQUENCE,
  TRIAL_ENDING,
} from './invariants/events.ts'
import { PAGES } from './invariants/pages.ts'
import { AMOUNTS, BELONGS, CHARGED, ONCE, TOLD, WENT_BACK } from './invariants/payments.ts'
import { CANCELLED, FOR_A_REASON, SAME, SOLD_AS, SOLD_BY, STATE } from './invariants/purchases.ts'
import { BROUGHT, CHANGED, DAILY, LEDGER } from './invariants/tokens.ts'
import { type OwnerEvent, writtenEvents } from './owner-backend.ts'
import { persist } from './passing-time.ts'
import type { Company } from './person.ts'
import { getTruth } from './truth.ts'

/** The invariants of a life once no faults are injected and no work is in progress. */
export const INVARIANTS: Invariant[] = [
  PAGES,
  SAME,
  SOLD_BY,
  STATE,
  CANCELLED,
  FOR_A_REASON,
  SOLD_AS,
  ACCESS,
  ACCESS_UNTIL,
  TOLD,
  AMOUNTS,
  WENT_BACK,
  CHARGED,
  BELONGS,
  ONCE,
  ALARMS,
  SEQUENCE,
  LAST,
  OF_ITS_MODE,
  OF_ITS_TYPE,
  PREVIOUS,
  RENEWALS,
  TRIAL_ENDING,
  COMPLETED,
  LEDGER,
  CHANGED,
  BROUGHT,
  DAILY,
]

/** The invariants that hold at any moment, whatever webhooks have arrived. */
const ALWAYS: Invariant[] = [ACCESS, ACCESS_UNTIL]

export async function checkInvariants(company: Company, events: OwnerEvent[], known: Knowledge): Promise<string[]> {
  const life = await persist('a life is read', () => createCase(company, events, known))
  if (life.members.length === 0) return getTruth(company).paid.length > 0 ? ['something was bought by nobody'] : []
  return findViolations(INVARIANTS, life)
}

/** Checks whether users have the access that they should have. Checks nothing while the service is down. */
export async function checkAccess(company: Company): Promise<string[]> {
  const life = await readUnchanged(company).catch(() => null)
  return life ? findViolations(ALWAYS, life) : []
}

/** Reads a life. Purchases and events are read one after the other, so both are read again if an event was written in between. */
async function readUnchanged(company: Company): Promise<Case> {
  const events = await allWrittenEvents(company)
  const life = await createCase(company, events, { refusedCheckouts: 0, everything: false, settled: false })
  const isUnchanged = (await allWrittenEvents(company)).length === events.length
  return isUnchanged ? life : readUnchanged(company)
}

const allWrittenEvents = async ({ worlds }: Company) => (await Promise.all(worlds.map(writtenEvents))).flat()

async function findViolations(invariants: Invariant[], life: Case): Promise<string[]> {
  const found = await Promise.all(
    invariants.map(async (invariant) => (await invariant.faults(life)).map((fault) => `${invariant.name}: ${fault}`)),
  )
  return found.flat()
}
