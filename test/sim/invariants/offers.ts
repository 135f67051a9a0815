import type { OfferUse } from '../person.ts'
import { type Case, DAY_SECONDS, findOrder, findSale, type Invariant, type StoredPurchase } from './case.ts'

/** What was bought at an offer is charged for less, once or for ever, as the payment and the purchase say. */
export const TAKEN_OFF: Invariant = {
  name: 'taken off',
  faults: (life) => life.purchases.flatMap((purchase) => faultsOfReduction(life, purchase)),
}

function faultsOfReduction(life: Case, purchase: StoredPurchase): string[] {
  const { company, events } = life
  const { id, processorId, last_payment: last } = purchase
  const order = findOrder(company, purchase)
  const sale = findSale(life, purchase)
  if (!order?.takenOff || !sale) return []
  const due = withTax(company, order.amount * order.quantity - order.takenOff)
  const charged = company.records('payments').filter((payment) => sale.paid.includes(payment.id) && payment.amount > 0)
  const changesPlan = company.life.steps.some((step) => step?.act === 'change-plan')
  const isOtherPlan = sale.hadTrial && changesPlan
  const said = events.flatMap(({ type, data: { payment } }) =>
    type === 'payment.succeeded' && payment?.purchase_id === id ? [payment] : [],
  )
  return [
    ...charged
      .slice(0, isOtherPlan ? 0 : 1)
      .filter(({ amount }) => amount !== due)
      .map(({ amount }) => `${processorId} was first charged ${amount}, and not ${due}`),
    // Another plan may happen to cost as much as this one at the offer.
    ...(changesPlan ? said.slice(0, isOtherPlan ? 0 : 1) : [...said, ...(last ? [last] : [])])
      .filter(({ amount, discount }) => amount === due && discount !== order.takenOff)
      .map(({ discount }) => `${discount} was taken off a payment for ${id}, not ${order.takenOff}`),
  ]
}

/** A processor without terms adds no taxes. */
function withTax({ world, life: { processor, setup } }: Case['company'], amount: number): number {
  const percent = 'setTerms' in world[processor] ? (setup.terms?.taxPercent ?? 0) : 0
  return amount + Math.round((amount * percent) / 100)
}

/** The uses of an offer never exceed its limits, but those that were reported as `beyond_max`. It is refused only if its uses are taken. */
export const OFFER_USES: Invariant = {
  name: 'offer uses',
  faults: (life) => [
    ...life.events.flatMap(({ data: { checkout } }) => {
      const order =
        checkout &&
        findOrder(
          life.company,
          life.purchases.find(({ id }) => id === checkout.purchase_id),
        )
      const due = order?.takenOff ? order.slug : null
      const named = checkout?.offer?.id ?? null
      return !order || named === due ? [] : [`${checkout.purchase_id} was sold at the offer ${due}, not ${named}`]
    }),
    ...life.company.worlds.flatMap(({ paywall }) =>
      paywall.discounts.flatMap((offer) => faultsOfUses(life, paywall.id, offer)),
    ),
    ...life.company.offerUses
      .filter((use) => !isRightlyRefused(life.company, use))
      .map(({ person, slug, refusal }) => `${person.email} was refused the offer ${slug} as ${refusal}`),
  ],
}

/** The uses that the owner's events report. They name the user who had the purchase at the time: a merge may have changed that since. */
function faultsOfUses(
  { company, events }: Case,
  paywallId: string,
  { id, max_uses: max, max_per_member: perMember }: Limits,
): string[] {
  const reported = events.flatMap(({ data: { paywall_id: paywall, user, checkout } }) =>
    paywall === paywallId && checkout?.offer?.id === id ? [{ user: user.id, isBeyond: checkout.offer.beyond_max }] : [],
  )
  const within = reported.filter(({ isBeyond }) => !isBeyond)
  const most = Math.max(0, ...[...Map.groupBy(within, ({ user }) => user).values()].map(({ length }) => length))
  const called = company.offerUses.filter(({ person, slug }) => person.world.paywall.id === paywallId && slug === id)
  const mayBeBeyond = Math.max(called.length, reported.length) > 1
  return [
    ...(within.length > (max ?? Infinity)
      ? [`the offer ${id} has ${max} uses, and was used ${within.length} times`]
      : []),
    ...(most > perMember ? [`a member has used the offer ${id} ${most} times`] : []),
    ...(within.length < reported.length && !mayBeBeyond ? [`the only use of the offer ${id} is beyond its limit`] : []),
  ]
}

type Limits = Case['company']['world']['paywall']['discounts'][number]

/** How long a page may hold its use, with the time until it is open. */
const HELD_SECONDS = DAY_SECONDS + 60

/**
 * Whether an offer was refused because of other uses: a button of their page was pressed, or it was opened less than a day before. Merged
 * people count as one, so `used` may be due to another person's.
 */
function isRightlyRefused({ offerUses }: Case['company'], use: OfferUse): boolean {
  const { person, slug, at, refusal } = use
  const earlier = offerUses
    .slice(0, offerUses.indexOf(use))
    .filter((each) => each.slug === slug && each.person.world.paywall.id === person.world.paywall.id && !each.refusal)
  const { max_uses: max } = person.world.paywall.discounts.find(({ id }) => id === slug)!
  const isHeld = (each: OfferUse) => at.getTime() - each.at.getTime() < HELD_SECONDS * 1000 && each.person !== person
  if (refusal === 'used') return earlier.some(({ isPressed }) => isPressed)
  if (refusal === 'used_up') return earlier.filter((each) => each.isPressed || isHeld(each)).length >= (max ?? Infinity)
  return refusal === null
}
