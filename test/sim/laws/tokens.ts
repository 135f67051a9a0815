import { provenBalances } from '../../support/user-state.ts'
import { DAILY_LIMIT, TOKENS_A_PERIOD } from '../paywalls.ts'
import type { Case, Law } from './case.ts'

/** Every balance is the sum of its ledger. */
export const LEDGER: Law = {
  name: 'ledger',
  async faults({ company: { world }, states }) {
    const wrong = await Promise.all(
      [...states.keys()].map((id) =>
        provenBalances(world, id).then(
          () => [],
          (error: Error) => [error.message],
        ),
      ),
    )
    return wrong.flat()
  },
}

const total = ({ states }: Case, type: string) =>
  [...states.values()]
    .flatMap(({ balances }) => balances)
    .filter((each) => each.type === type)
    .reduce((sum, { count }) => sum + count, 0)

/** What owners credit and take is acknowledged once, and done once. */
export const CHANGED: Law = {
  name: 'tokens changed',
  faults(life) {
    const { people } = life.company
    const known = people.reduce((sum, { tokens }) => sum + tokens.known, 0)
    const unknown = people.flatMap(({ tokens }) => tokens.unknown)
    const count = total(life, 'premium')
    return sumsOf(unknown).has(count - known)
      ? []
      : [`${count} premium tokens, but ${known} were acknowledged; of unknown outcome: ${unknown}`]
  },
}

/** A paid period brings its tokens once, and as long as no money goes back they are there. */
export const BROUGHT: Law = {
  name: 'tokens brought',
  faults(life) {
    const { sales } = life.truth
    const covered = sales.reduce((sum, sale) => sum + sale.covered, 0)
    const running = life.shown.filter(({ processorId, status, trial_end: trialEnd }) => {
      const paid = sales.find((sale) => sale.processorId === processorId)?.paid.length ?? 0
      return status === 'active' && trialEnd === null && paid > 0
    })
    const count = total(life, 'standard')
    return [
      ...(count > covered * TOKENS_A_PERIOD ? [`${count} standard tokens for ${covered} covered periods`] : []),
      ...(!isGivenBack(life) && count < running.length * TOKENS_A_PERIOD
        ? [`${count} standard tokens, and ${running.length} purchases were paid for`]
        : []),
    ]
  },
}

const isGivenBack = ({ company: { records } }: Case) => records('refunds').length > 0 || records('disputes').length > 0

/** Whoever asks has the day's tokens, and no more. */
export const DAILY: Law = {
  name: 'daily tokens',
  faults: ({ states }) =>
    [...states].flatMap(([id, { balances }]) => {
      const count = balances.find(({ type }) => type === 'daily')?.count
      return count === DAILY_LIMIT ? [] : [`${id} has ${count} daily tokens`]
    }),
}

/** What any of the deltas may add up to. */
function sumsOf(deltas: number[]): Set<number> {
  const sums = new Set([0])
  for (const delta of deltas) for (const sum of [...sums]) sums.add(sum + delta)
  return sums
}
