// Checks a life: whether what the service stores and returns agrees with the processor's records, with what people were promised, and with
// the events that the owner received.
import { ACCESS, ACCESS_UNTIL } from './invariants/access.ts'
import { ALARMS } from './invariants/alarms.ts'
import { type Case, createCase, type Invariant, type Knowledge } from './invariants/case.ts'
import {
  CHECKOUTS_REPORTED,
  EVENT_MODE,
  EVENT_TYPES,
  LAST_EVENT,
  MERGES_REPORTED,
  PREVIOUS,
  RENEWALS_REPORTED,
  SEQUENCE,
  TRIAL_ENDS_REPORTED,
} from './invariants/events.ts'
import { OFFER_USES, TAKEN_OFF } from './invariants/offers.ts'
import { PAGES } from './invariants/pages.ts'
import {
  CHARGED_ONCE,
  CHECKOUT_AMOUNTS,
  PAYMENT_AMOUNTS,
  PAYMENTS_BELONG,
  PAYMENTS_REPORTED,
  REFUNDS,
} from './invariants/payments.ts'
import {
  CANCELLED,
  ENDS_FOR_REASON,
  SAME_PURCHASES,
  SCHEDULED_AS_AT_PROCESSOR,
  SOLD_AS_ORDERED,
  SOLD_BY_PAYWALL,
  STATE,
} from './invariants/purchases.ts'
import { QUOTES } from './invariants/quotes.ts'
import { DAILY_TOKENS, LEDGER, TOKENS_CHANGED, TOKENS_CREDITED } from './invariants/tokens.ts'
import { type OwnerEvent, writtenEvents } from './owner-backend.ts'
import { retryUntilDone } from './passing-time.ts'
import type { Company } from './person.ts'
import { readProcessorState } from './processor-state.ts'

/** The invariants of a life once no faults are injected and no work is in progress. */
export const INVARIANTS: Invariant[] = [
  PAGES,
  SAME_PURCHASES,
  SOLD_BY_PAYWALL,
  STATE,
  CANCELLED,
  ENDS_FOR_REASON,
  SOLD_AS_ORDERED,
  SCHEDULED_AS_AT_PROCESSOR,
  ACCESS,
  ACCESS_UNTIL,
  PAYMENTS_REPORTED,
  PAYMENT_AMOUNTS,
  REFUNDS,
  CHECKOUT_AMOUNTS,
  PAYMENTS_BELONG,
  CHARGED_ONCE,
  ALARMS,
  SEQUENCE,
  LAST_EVENT,
  EVENT_MODE,
  EVENT_TYPES,
  PREVIOUS,
  RENEWALS_REPORTED,
  TRIAL_ENDS_REPORTED,
  CHECKOUTS_REPORTED,
  MERGES_REPORTED,
  LEDGER,
  TOKENS_CHANGED,
  TOKENS_CREDITED,
  DAILY_TOKENS,
  QUOTES,
  TAKEN_OFF,
  OFFER_USES,
]

/** The invariants that hold at any moment, whatever webhooks have arrived. */
const ALWAYS: Invariant[] = [ACCESS, ACCESS_UNTIL]

export async function checkInvariants(company: Company, events: OwnerEvent[], known: Knowledge): Promise<string[]> {
  const life = await retryUntilDone('a life is read', () => createCase(company, events, known))
  if (life.members.length === 0)
    return readProcessorState(company).paid.length > 0 ? ['something was bought by nobody'] : []
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
  const life = await createCase(company, events, { refusedCheckouts: 0, everything: false, isQuiet: false })
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
