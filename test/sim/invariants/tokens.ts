import type { PaidPeriod, Sale } from '../../conformance/drivers/sale.ts'
import { verifiedBalances } from '../../support/user-state.ts'
import { DAILY_LIMIT, TOKENS_A_PERIOD } from '../paywalls.ts'
import { type Case, DAY_SECONDS, type Invariant, type Member, type StoredPurchase } from './case.ts'
import type { Change } from './changes.ts'
import { isSameDay } from './events.ts'

/** Every balance is the sum of its ledger. */
export const LEDGER: Invariant = {
  name: 'ledger',
  async faults({ members }) {
    const wrong = await Promise.all(
      members.map(({ world, userId }) =>
        verifiedBalances(world, userId).then(
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
export const CHANGED: Invariant = {
  name: 'tokens changed',
  faults(life) {
    const { people } = life.company
    const known = people.reduce((sum, { tokens }) => sum + tokens.known, 0)
    const unknown = people.flatMap(({ tokens }) => tokens.unknown)
    const count = total(life, 'premium')
    return getSums(unknown).has(count - known)
      ? []
      : [`${count} premium tokens, but ${known} were acknowledged; of unknown outcome: ${unknown}`]
  },
}

/** A paid period brings its tokens once, and they go back with its money. */
export const BROUGHT: Invariant = {
  name: 'tokens brought',
  faults: (life) =>
    life.members.flatMap((member) => {
      const [least, most] = dueTokens(life, member)
      const count = member.balances.find(({ type }) => type === 'standard')?.count ?? 0
      return count >= least && count <= most
        ? []
        : [`${member.userId} has ${count} standard tokens, and has paid for ${least} to ${most}`]
    }),
}

/** The minimum and maximum number of standard tokens that a user may have. */
function dueTokens(life: Case, member: Member): [least: number, most: number] {
  const own = life.purchases.filter((purchase) => purchase.member === member)
  const sales = life.truth.sales.filter(({ processorId }) => own.some((each) => each.processorId === processorId))
  const credited = sumBy(sales, (sale) => sumBy(creditedPeriods(sale), getMost))
  if (!life.known.everything) return [tokensThatGoOn(life, own), credited]
  const least = sumBy(own, (purchase) => {
    const sale = sales.find(({ processorId }) => processorId === purchase.processorId)
    return sale ? leastTokens(sale, purchase) : 0
  })
  return [least, credited - sumBy(sales, surelyTakenBack)]
}

const sumBy = <Each>(all: Each[], count: (each: Each) => number) => all.reduce((sum, each) => sum + count(each), 0)

/** A period that brought tokens, with all that was charged for in it. */
interface Credited {
  charged: PaidPeriod[]
  end: number
}

const broughtBy = ({ interval }: PaidPeriod) => TOKENS_A_PERIOD[interval]
const getMost = ({ charged }: Credited) => Math.max(...charged.map(broughtBy))

/**
 * One that begins before the last credited one has ended counts as the same. It brings what it has more tokens than that, and makes it
 * longer only then.
 */
function creditedPeriods({ paidPeriods }: Pick<Sale, 'paidPeriods'>): Credited[] {
  const credited: Credited[] = []
  for (const period of paidPeriods) {
    const last = credited.at(-1)
    if (!last || period.start >= last.end) {
      credited.push({ charged: [period], end: period.end })
    } else {
      if (broughtBy(period) > getMost(last)) last.end = period.end
      last.charged.push(period)
    }
  }
  return credited
}

const isGivenBack = ({ charged }: Credited) => charged.some((period) => period.isGivenBack)

/**
 * The minimum that a subscription has brought. Of a period that the step `renew` charges in advance and a change of plan that begins before
 * it, only one may be known: no processor's latest charge is for a period that has not begun.
 */
function leastTokens({ paidPeriods, status }: Sale, purchase: StoredPurchase): number {
  const counts = [isNotOvertaken, isNotOvertaking].map((isKnown) => {
    const kept = creditedPeriods({ paidPeriods: paidPeriods.filter(isKnown) }).filter((each) => !isGivenBack(each))
    return sumBy(kept, status === 'canceled' ? (each) => reportedTokens(each, purchase) : lastTokens)
  })
  return Math.min(...counts)
}

/** Of a plan that was changed twice between two reads only the last one is known. */
const lastTokens = ({ charged }: Credited) => broughtBy(charged.at(-1)!)

/**
 * The tokens of a period that was reported as paid for while the subscription was active. It credits nothing if its subscription has ended
 * when it first becomes known.
 */
const reportedTokens = ({ charged }: Credited, { changes }: StoredPurchase) =>
  Math.max(0, ...charged.filter((period) => isReported(period, changes)).map(broughtBy))

const isReported = ({ end, paidAt, interval }: PaidPeriod, changes: Change[]) =>
  changes.some(
    ({ is, at }) =>
      is.status === 'active' &&
      is.interval === interval &&
      isSameDay(end, is.current_period_end ?? '') &&
      paidAt * 1000 < at,
  )

const isNotOvertaken = ({ start }: PaidPeriod, place: number, all: PaidPeriod[]) =>
  !all.slice(place).some((later) => later.start < start)

const isNotOvertaking = ({ start }: PaidPeriod, place: number, all: PaidPeriod[]) =>
  !all.slice(0, place).some((earlier) => earlier.start > start)

/**
 * Of a period whose plan was changed, only what the first charge has brought is surely taken back. The period of a payment is found by
 * when it was paid: a renewal that the step `renew` charges days too soon may so be taken for another payment of the period before, and
 * the refunds of both take the tokens of one.
 */
function surelyTakenBack(sale: Sale): number {
  const taken = creditedPeriods(sale)
    .filter(isGivenBack)
    .map(({ charged }) => Math.min(...charged.map(broughtBy)))
  const isEarly = sale.paidPeriods.some(({ paidAt, start }) => paidAt < start - DAY_SECONDS)
  return isEarly ? Math.min(sumBy(taken, Number), TOKENS_A_PERIOD.month) : sumBy(taken, Number)
}

/** Periods of which no webhook came may be over when they are looked up, but not the ones that go on, if no money went back. */
function tokensThatGoOn({ company: { records }, truth: { sales } }: Case, own: StoredPurchase[]): number {
  if (records('refunds').length > 0 || records('disputes').length > 0) return 0
  const goingOn = own.filter(({ processorId, status, trial_end: trialEnd }) => {
    const paid = sales.find((sale) => sale.processorId === processorId)?.paid.length ?? 0
    return status === 'active' && trialEnd === null && paid > 0
  })
  return goingOn.length * TOKENS_A_PERIOD.month
}

/** Whoever asks has the day's tokens, and no more; and no fewer, if none were used on that day. */
export const DAILY: Invariant = {
  name: 'daily tokens',
  faults({ company: { people }, members, now }) {
    const isSpent = people.some(({ tokens }) => tokens.spentDailyAt && getDay(tokens.spentDailyAt) === getDay(now))
    return members.flatMap(({ userId, balances }) => {
      const count = balances.find(({ type }) => type === 'daily')?.count ?? 0
      const isRight = isSpent ? count <= DAILY_LIMIT : count === DAILY_LIMIT
      return isRight ? [] : [`${userId} has ${count} daily tokens`]
    })
  },
}

const getDay = (at: Date) => at.toISOString().slice(0, 10)

/** What any of the deltas may add up to. */
function getSums(deltas: number[]): Set<number> {
  const sums = new Set([0])
  for (const delta of deltas) for (const sum of [...sums]) sums.add(sum + delta)
  return sums
}
