import type { PaidPeriod, Sale } from '../../conformance/drivers/sale.ts'
import { verifiedBalances } from '../../support/user-state.ts'
import { DAILY_LIMIT, isUnmatched, TOKENS_A_PERIOD } from '../paywalls.ts'
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

/** Every acknowledged change of premium tokens by the owner is made once. One of unknown outcome is made at most once. */
export const TOKENS_CHANGED: Invariant = {
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

/** A paid period credits its tokens once. A full refund takes them back. */
export const TOKENS_CREDITED: Invariant = {
  name: 'tokens credited',
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
  const sales = life.processorState.sales.filter(({ processorId }) =>
    own.some((each) => each.processorId === processorId),
  )
  const credited = sumBy(sales, (sale) => sumBy(creditedPeriods(sale), maxTokens))
  const least = sumBy(own, (purchase) => {
    const sale = sales.find(({ processorId }) => processorId === purchase.processorId)
    return sale ? minTokens(sale, purchase) : 0
  })
  if (life.known.everything) return [least, credited - sumBy(sales, minRevoked)]
  return [arePeriodsPolled(life) ? least : ongoingTokens(life, own), credited]
}

/**
 * Whether polls have found every period, although webhooks are missing: enough time has passed, nothing was refunded or disputed, and no
 * step charged a period before its time.
 */
function arePeriodsPolled({ company: { records, life }, known: { isQuiet } }: Case): boolean {
  const isCharged = life.steps.some((step) => step?.act === 'renew' || step?.act === 'roll-over')
  return isQuiet && !isCharged && records('refunds').length === 0 && records('disputes').length === 0
}

const sumBy = <Each>(all: Each[], count: (each: Each) => number) => all.reduce((sum, each) => sum + count(each), 0)

/** A period that credited tokens, with everything that was charged in it. */
interface CreditedPeriod {
  charged: PaidPeriod[]
  end: number
}

const tokensPerPeriod = ({ interval, unitAmount, quantity }: PaidPeriod) =>
  isUnmatched(unitAmount) ? 0 : TOKENS_A_PERIOD[interval] * quantity
const maxTokens = ({ charged }: CreditedPeriod) => Math.max(...charged.map(tokensPerPeriod))

/**
 * Groups the paid periods of a sale by the credited periods that they belong to. A paid period that begins before the end of the last
 * credited one is part of it: only if it has more tokens are the missing ones credited, and the credited period becomes longer.
 */
function creditedPeriods({ paidPeriods }: Pick<Sale, 'paidPeriods'>): CreditedPeriod[] {
  const credited: CreditedPeriod[] = []
  for (const period of paidPeriods) {
    const last = credited.at(-1)
    if (!last || period.start >= last.end) {
      credited.push({ charged: [period], end: period.end })
    } else {
      if (tokensPerPeriod(period) > maxTokens(last)) last.end = period.end
      last.charged.push(period)
    }
  }
  return credited
}

const isGivenBack = ({ charged }: CreditedPeriod) => charged.some((period) => period.isGivenBack)

/** The minimum of tokens that a subscription has credited. */
const minTokens = (sale: Sale, purchase: StoredPurchase): number =>
  minOverKnownPeriods(sale, (paidPeriods) => {
    const kept = creditedPeriods({ paidPeriods }).filter((each) => !isGivenBack(each))
    return sumBy(kept, sale.status === 'canceled' ? (each) => reportedTokens(each, purchase) : lastTokens)
  })

/**
 * The minimum of a count over the periods that the service may know. Charges can be out of order here, because the step `renew` charges a
 * period in advance and a change of plan may then begin an earlier one. The service may know only one of two such charges, so take the
 * lower count. At a real processor, the latest charge is never for a period that has not begun.
 */
const minOverKnownPeriods = ({ paidPeriods }: Sale, count: (known: PaidPeriod[]) => number): number =>
  Math.min(...[startsBeforeAllLater, startsAfterAllEarlier].map((isKnown) => count(paidPeriods.filter(isKnown))))

/** The tokens of the last charge in a period. If a plan changed twice between two reads, the service knows only the last one. */
const lastTokens = ({ charged }: CreditedPeriod) => tokensPerPeriod(charged.at(-1)!)

/**
 * The tokens of a period if it was reported as paid for while the subscription was active, otherwise 0: a period credits nothing if the
 * subscription has ended by the time the service learns of the period.
 */
const reportedTokens = ({ charged }: Pick<CreditedPeriod, 'charged'>, { changes }: StoredPurchase) =>
  Math.max(0, ...charged.filter((period) => isReported(period, changes)).map(tokensPerPeriod))

const isReported = ({ end, paidAt, interval }: PaidPeriod, changes: Change[]) =>
  changes.some(
    ({ is, at }) =>
      is.status === 'active' &&
      is.interval === interval &&
      isSameDay(end, is.current_period_end ?? '') &&
      paidAt * 1000 < at,
  )

const startsBeforeAllLater = ({ start }: PaidPeriod, index: number, all: PaidPeriod[]) =>
  !all.slice(index).some((later) => later.start < start)

const startsAfterAllEarlier = ({ start }: PaidPeriod, index: number, all: PaidPeriod[]) =>
  !all.slice(0, index).some((earlier) => earlier.start > start)

/**
 * The tokens that refunds certainly took back. For a period whose plan was changed, these are only those of the charge that credits least.
 * A payment belongs to the period in which it was paid. So a renewal that the step `renew` charges days early may count as another payment
 * of the previous period, and then the refunds of both take back the tokens of only one.
 */
function minRevoked(sale: Sale): number {
  const taken = creditedPeriods(sale)
    .filter(isGivenBack)
    .map(({ charged }) => Math.min(...charged.map(tokensPerPeriod)))
  const isEarly = sale.paidPeriods.some(({ paidAt, start }) => paidAt < start - DAY_SECONDS)
  return isEarly ? Math.min(sumBy(taken, Number), TOKENS_A_PERIOD.month) : sumBy(taken, Number)
}

/**
 * The minimum of tokens while polls have not found every period. Only the current ones and one that was reported as paid for have certainly
 * been credited, and only if nothing was refunded or disputed.
 */
function ongoingTokens({ company: { records }, processorState: { sales } }: Case, own: StoredPurchase[]): number {
  if (records('refunds').length > 0 || records('disputes').length > 0) return 0
  return sumBy(own, (purchase) => {
    const sale = sales.find(({ processorId }) => processorId === purchase.processorId)
    const wasUnmatched = purchase.changes.some(({ is }) => is.price_slug === null)
    if (!sale || sale.paid.length === 0 || purchase.status !== 'active' || purchase.trial_end !== null || wasUnmatched)
      return 0
    return Math.max(
      TOKENS_A_PERIOD.month,
      minOverKnownPeriods(sale, (charged) => reportedTokens({ charged }, purchase)),
    )
  })
}

/** A user never has more daily tokens than the daily limit, and exactly that many if none were used on that day. */
export const DAILY_TOKENS: Invariant = {
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

/** The sums of all subsets of the deltas. */
function getSums(deltas: number[]): Set<number> {
  const sums = new Set([0])
  for (const delta of deltas) for (const sum of [...sums]) sums.add(sum + delta)
  return sums
}
