// What is wrong with a life: where what we have and say differs from what its processor has, what its people were promised, and
// what its owner was notified of.
import { ACCESS, ACCESS_UNTIL } from './laws/access.ts'
import { type Case, createCase, type Knowledge, type Law } from './laws/case.ts'
import { COMPLETED, LAST, OF_ITS_MODE, OF_ITS_TYPE, PREVIOUS, RENEWALS, SEQUENCE, TRIAL_ENDING } from './laws/events.ts'
import { PAGES } from './laws/pages.ts'
import { AMOUNTS, BELONGS, CHARGED, ONCE, TOLD, WENT_BACK } from './laws/payments.ts'
import { CANCELLED, FOR_A_REASON, SAME, SOLD_AS, SOLD_BY, STATE } from './laws/purchases.ts'
import { BROUGHT, CHANGED, DAILY, LEDGER } from './laws/tokens.ts'
import { type TakenEvent, writtenEvents } from './owner-backend.ts'
import { persist } from './passing-time.ts'
import type { Company } from './person.ts'
import { getTruth } from './truth.ts'

/** All that must hold of a life that is calm. */
export const LAWS: Law[] = [
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

/** What must hold at any moment, whatever webhooks have arrived. */
const ALWAYS: Law[] = [ACCESS, ACCESS_UNTIL]

export async function judge(company: Company, events: TakenEvent[], known: Knowledge): Promise<string[]> {
  const life = await persist('a life is read', () => createCase(company, events, known))
  if (life.members.length === 0) return getTruth(company).paid.length > 0 ? ['something was bought by nobody'] : []
  return readFaults(LAWS, life)
}

/** Whether users have access if they should, as far as is known here. Nothing is judged while the service is down. */
export async function judgeAccess(company: Company): Promise<string[]> {
  const life = await caseNow(company).catch(() => null)
  return life ? readFaults(ALWAYS, life) : []
}

async function caseNow(company: Company): Promise<Case> {
  const events = await Promise.all(company.worlds.map(writtenEvents))
  return createCase(company, events.flat(), { refusedCheckouts: 0, everything: false, settled: false })
}

async function readFaults(laws: Law[], life: Case): Promise<string[]> {
  const found = await Promise.all(
    laws.map(async (law) => (await law.faults(life)).map((fault) => `${law.name}: ${fault}`)),
  )
  return found.flat()
}
