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
    const givenBack = life.heard.everything && !hasOtherPlan(life) ? givenBackOf(life) : 0
    const running = life.shown.filter(({ processorId, status, trial_end: trialEnd }) => {
      const paid = sales.find((sale) => sale.processorId === processorId)?.paid.length ?? 0
      return status === 'active' && trialEnd === null && paid > 0
    })
    const count = total(life, 'standard')
    return [
      ...(count > (covered - givenBack) * TOKENS_A_PERIOD
        ? [`${count} standard tokens for ${covered} covered periods, of which ${givenBack} were given back`]
        : []),
      ...(!isGivenBack(life) && count < running.length * TOKENS_A_PERIOD
        ? [`${count} standard tokens, and ${running.length} purchases were paid for`]
        : []),
    ]
  },
}

/** How many payments went back as a whole. */
function givenBackOf({ company: { records } }: Case): number {
  const refunds = records('refunds').filter(({ status }) => status === 'refunded')
  const refunded = (id: string) =>
    refunds.filter(({ payment }) => payment === id).reduce((sum, { amount }) => sum + amount, 0)
  return records('payments').filter(
    ({ id, amount, status }) => status === 'paid' && amount > 0 && refunded(id) >= amount,
  ).length
}

const hasOtherPlan = ({ company: { life } }: Case) => life.steps.some((step) => step?.act === 'change-plan')

const isGivenBack = ({ company: { records } }: Case) => records('refunds').length > 0 || records('disputes').length > 0

/** Whoever asks has the day's tokens, and no more; and no fewer, if none were used on that day. */
export const DAILY: Law = {
  name: 'daily tokens',
  faults({ company: { people }, states, now }) {
    const isSpent = people.some(({ tokens }) => tokens.spentDailyAt && dayOf(tokens.spentDailyAt) === dayOf(now))
    return [...states].flatMap(([id, { balances }]) => {
      const count = balances.find(({ type }) => type === 'daily')?.count ?? 0
      const isRight = isSpent ? count <= DAILY_LIMIT : count === DAILY_LIMIT
      return isRight ? [] : [`${id} has ${count} daily tokens`]
    })
  },
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** What any of the deltas may add up to. */
function sumsOf(deltas: number[]): Set<number> {
  const sums = new Set([0])
  for (const delta of deltas) for (const sum of [...sums]) sums.add(sum + delta)
  return sums
}
