// What is wrong with a life that is over: where what we have and say differs from what its processor has, what its person was
// promised, and what its owner was told.
import { isDeepStrictEqual } from 'node:util'
import { sequenceFaults } from '../support/owner-events.ts'
import { provenBalances, type UserState, userState } from '../support/user-state.ts'
import { purchaseFaults } from './judge-purchases.ts'
import type { TakenEvent } from './owner-backend.ts'
import type { Person } from './person.ts'
import { type Truth, truthOf } from './truth.ts'

interface Heard {
  /** How often a processor said that opening a checkout had failed. */
  refusedCheckouts: number
  /** Whether every webhook has come, and there was one for everything that happened. */
  everything: boolean
}

export async function judge(person: Person, events: TakenEvent[], heard: Heard): Promise<string[]> {
  const truth = truthOf(person)
  const pages = pageFaults(person, truth, heard)
  if (person.userId === null) return truth.paid.length > 0 ? [...pages, 'something was bought by nobody'] : pages
  const state = await userState(person.world, person.userId)
  return [
    ...pages,
    ...(await purchaseFaults(person, truth, state)),
    ...paymentFaults(truth, events, heard),
    ...eventFaults(state, events),
    ...(await tokenFaults(person, truth)),
  ]
}

/**
 * An attempt whose answer is lost may have opened a page, and once the processor refuses a repeat, the next attempt opens
 * another. Nobody is given the address of the first one, so a refusal may leave a page behind, which cannot be paid. Where
 * a repeat is not recognised, any attempt may.
 */
function pageFaults({ addresses, abilities }: Person, { opened, paid }: Truth, { refusedCheckouts }: Heard): string[] {
  const repeats = (ids: string[]) => ids.length - new Set(ids).size
  const several = [...addresses.values()].filter((given) => given.size > 1)
  return [
    ...several.map((given) => `one Idempotency-Key gave several pages: ${[...given].join(', ')}`),
    ...(abilities.idempotencyKeys && repeats(opened) > refusedCheckouts
      ? [`one checkout has several pages: ${opened.join(', ')}`]
      : []),
    ...(repeats(paid) > 0 ? [`one checkout was paid twice: ${paid.join(', ')}`] : []),
  ]
}

/** No payment is told twice, and all are told that webhooks told us of. Not every attempt that failed is a payment's end. */
function paymentFaults({ payments }: Truth, events: TakenEvent[], { everything }: Heard): string[] {
  return Object.entries(payments).flatMap(([kind, count]) => {
    const told = events.filter(({ type }) => type === `payment.${kind}`).length
    const isRight = everything && kind !== 'failed' ? told === count : told <= count
    return isRight ? [] : [`${told} payments were told as ${kind}, and there are ${count}`]
  })
}

function eventFaults({ purchases }: UserState, events: TakenEvent[]): string[] {
  const untold = purchases.filter((purchase) => {
    const last = events.findLast(({ data }) => data.subscription?.id === purchase.id)
    return last && !isDeepStrictEqual(last.data.subscription, { ...purchase })
  })
  return [
    ...sequenceFaults(events, { crashed: true }),
    ...untold.map(({ id, status }) => `the owner was not told last that ${id} is ${status}`),
  ]
}

async function tokenFaults({ world, userId, tokens }: Person, { sales }: Truth): Promise<string[]> {
  const balances = await provenBalances(world, userId ?? '').catch((error: Error) => error.message)
  if (typeof balances === 'string') return [balances]
  const { premium = 0, standard = 0 } = balances
  const covered = sales.reduce((sum, sale) => sum + sale.covered, 0)
  return [
    ...(sumsOf(tokens.unknown).has(premium - tokens.known)
      ? []
      : [`${premium} premium tokens, but ${tokens.known} were acknowledged; of unknown outcome: ${tokens.unknown}`]),
    ...(standard > covered * TOKENS_A_PERIOD ? [`${standard} standard tokens for ${covered} covered periods`] : []),
  ]
}

/** What the prices of paywalls.ts credit. */
const TOKENS_A_PERIOD = 100

/** What any of the deltas may add up to. */
function sumsOf(deltas: number[]): Set<number> {
  const sums = new Set([0])
  for (const delta of deltas) for (const sum of [...sums]) sums.add(sum + delta)
  return sums
}
