// What is wrong with a life: where what we have and say differs from what its processor has, what its people were promised, and
// what its owner was told.
import { ACCESS, ACCESS_UNTIL } from './laws/access.ts'
import { type Case, caseOf, type Heard, type Law } from './laws/case.ts'
import { LAST, OF_ITS_MODE, OF_ITS_TYPE, PREVIOUS, SEQUENCE } from './laws/events.ts'
import { PAGES } from './laws/pages.ts'
import { AMOUNTS, BELONGS, CHARGED, ONCE, TOLD } from './laws/payments.ts'
import { CANCELLED, SAME, SOLD_AS, SOLD_BY, STATE } from './laws/purchases.ts'
import { BROUGHT, CHANGED, DAILY, LEDGER } from './laws/tokens.ts'
import type { TakenEvent } from './owner-backend.ts'
import type { Company } from './person.ts'
import { truthOf } from './truth.ts'

/** All that must hold of a life that is calm. */
export const LAWS: Law[] = [
  ...[PAGES, SAME, SOLD_BY, STATE, CANCELLED, SOLD_AS, ACCESS, ACCESS_UNTIL],
  ...[TOLD, AMOUNTS, CHARGED, BELONGS, ONCE, SEQUENCE, LAST, OF_ITS_MODE, OF_ITS_TYPE, PREVIOUS],
  ...[LEDGER, CHANGED, BROUGHT, DAILY],
]

/** What must hold at any moment, whatever was heard. */
const ALWAYS: Law[] = [ACCESS, ACCESS_UNTIL]

export async function judge(company: Company, events: TakenEvent[], heard: Heard): Promise<string[]> {
  const life = await caseOf(company, events, heard)
  if (life.members.length === 0) return truthOf(company).paid.length > 0 ? ['something was bought by nobody'] : []
  return faultsOf(LAWS, life)
}

/** Whether who has access is who should have it, as far as is known here. Nothing is judged while the service is down. */
export async function judgeAccess(company: Company): Promise<string[]> {
  const life = await caseOf(company, [], { refusedCheckouts: 0, everything: false, settled: false }).catch(() => null)
  return life ? faultsOf(ALWAYS, life) : []
}

async function faultsOf(laws: Law[], life: Case): Promise<string[]> {
  const found = await Promise.all(
    laws.map(async (law) => (await law.faults(life)).map((fault) => `${law.name}: ${fault}`)),
  )
  return found.flat()
}
