import type { PaidPeriod, Sale } from '../../conformance/drivers/sale.ts'
import { provenBalances } from '../../support/user-state.ts'
import { DAILY_LIMIT, TOKENS_A_PERIOD } from '../paywalls.ts'
import type { Case, Law } from './case.ts'

/** Every balance is the sum of its ledger. */
export const LEDGER: Law = {
  name: 'ledger',
  async faults({ members }) {
    const wrong = await Promise.all(
      members.map(({ world, userId }) =>
        provenBalances(world, userId).then(
          () => [],
          (error: Error) => [error.message],
        ),
      ),
    )
    return wrong.flat()
  },
}

const total = ({ members }: Case, type: string) =>
  members
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

/** A paid period brings its tokens once, and they go back with its money. */
export const BROUGHT: Law = {
  name: 'tokens brought',
  faults(life) {
    const { sales } = life.truth
    const credited = sumBy(sales, (sale) => creditedPeriods(sale).length)
    // A period brings nothing if its subscription has ended when it is first heard of. Of a refund that was not heard of the tokens may stay.
    const goingOn = sales.filter(({ status }) => status !== 'canceled')
    const [least, most] = life.heard.everything
      ? [sumBy(goingOn, keptPeriods), credited - sumBy(sales, surelyRefundedPeriods)]
      : [periodsThatGoOn(life), credited]
    const count = total(life, 'standard')
    return count >= least * TOKENS_A_PERIOD && count <= most * TOKENS_A_PERIOD
      ? []
      : [`${count} standard tokens, and ${least} to ${most} periods are paid for`]
  },
}

const sumBy = <Each>(all: Each[], count: (each: Each) => number) => all.reduce((sum, each) => sum + count(each), 0)

/**
 * The periods that brought tokens, each with all that was charged for in it. One that begins before the last credited one has ended counts
 * as the same, and does not make it longer: all prices bring as many tokens, so no change of the plan brings more.
 */
function creditedPeriods({ paidPeriods }: Sale): PaidPeriod[][] {
  const credited: PaidPeriod[][] = []
  for (const period of paidPeriods) {
    const last = credited.at(-1)
    if (last && period.start < last[0]!.end) last.push(period)
    else credited.push([period])
  }
  return credited
}

const refundedPeriods = (sale: Sale) =>
  creditedPeriods(sale).filter((charged) => charged.some(({ isGivenBack }) => isGivenBack)).length

const keptPeriods = (sale: Sale) => creditedPeriods(sale).length - refundedPeriods(sale)

/**
 * The period of a payment is found by when it was paid. A renewal that the step `renew` charges days too soon may so be taken for another
 * payment of the period before, and the refunds of both take the tokens of one.
 */
function surelyRefundedPeriods(sale: Sale): number {
  const isEarly = sale.paidPeriods.some(({ paidAt, start }) => paidAt < start - DAY_SECONDS)
  return isEarly ? Math.min(refundedPeriods(sale), 1) : refundedPeriods(sale)
}

const DAY_SECONDS = 86_400

/** Periods of which no webhook came may be over when they are looked up, but not the ones that go on, if no money went back. */
function periodsThatGoOn({ company: { records }, shown, truth: { sales } }: Case): number {
  if (records('refunds').length > 0 || records('disputes').length > 0) return 0
  return shown.filter(({ processorId, status, trial_end: trialEnd }) => {
    const paid = sales.find((sale) => sale.processorId === processorId)?.paid.length ?? 0
    return status === 'active' && trialEnd === null && paid > 0
  }).length
}

/** Whoever asks has the day's tokens, and no more; and no fewer, if none were used on that day. */
export const DAILY: Law = {
  name: 'daily tokens',
  faults({ company: { people }, members, now }) {
    const isSpent = people.some(({ tokens }) => tokens.spentDailyAt && dayOf(tokens.spentDailyAt) === dayOf(now))
    return members.flatMap(({ userId, balances }) => {
      const count = balances.find(({ type }) => type === 'daily')?.count ?? 0
      const isRight = isSpent ? count <= DAILY_LIMIT : count === DAILY_LIMIT
      return isRight ? [] : [`${userId} has ${count} daily tokens`]
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
