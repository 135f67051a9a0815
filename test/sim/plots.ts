import type { Dice } from '../fuzz/dice.ts'
import { buying, changingPlan, paying, tokens } from './random-steps.ts'
import type { Step } from './step.ts'

type Plot = (dice: Dice) => Step[]

function mergesUsers(dice: Dice): Step[] {
  const credit = { ...tokens(dice), op: 'credit', type: 'premium' } as const
  const become = dice.pick([{ act: 'merge' }, { act: 'merge' }, { act: 'sign-in', as: 'another' }] as const)
  return [
    { ...buying(dice), who: 0 },
    { ...buying(dice), who: 1 },
    { ...credit, who: 0 },
    { ...become, who: 0, faultSeed: dice.below(2 ** 31) },
  ]
}

/** Replaces a subscription with another one, in half of the cases while the next charge of the older one waits for its bank. */
function upgrade(dice: Dice): Step[] {
  const slug = dice.pick(['monthly', 'yearly'] as const)
  const newer = { ...paying(dice, dice.pick(['monthly', 'yearly'])), replaces: true, who: 0 }
  const isCharged = dice.chance(0.5)
  return [
    { ...paying(dice, slug), who: 0 },
    { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
    ...(isCharged ? [{ act: 'roll-over', who: 0, faultSeed: dice.below(2 ** 31) } as const] : []),
    newer,
    ...(isCharged ? [{ act: 'resolve', fails: false, who: 0, faultSeed: dice.below(2 ** 31) } as const] : []),
  ]
}

/** Replaces a subscription with a lifetime purchase, and tries to buy that again once the subscription has ended. */
const buysLifetime = (dice: Dice): Step[] => [
  { ...paying(dice, dice.pick(['monthly', 'yearly'])), who: 0 },
  { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
  { ...paying(dice, 'lifetime'), replaces: true, who: 0 },
  { act: 'wait', days: 32, who: 0, faultSeed: dice.below(2 ** 31) },
  { ...paying(dice, 'lifetime'), who: 0 },
]

type PlanChange = [from: 'monthly' | 'yearly', to: 'monthly' | 'yearly' | 'team']

/** Changes the plan in the first or second paid period. In some cases the buyer then cancels, and keeps what is paid for. */
function changePlans(dice: Dice): Step[] {
  const [slug, to] = dice.pick<PlanChange>([
    ['monthly', 'yearly'],
    ['yearly', 'monthly'],
    ['monthly', 'team'],
  ])
  return [
    { ...paying(dice, slug), country: 'US', who: 0 },
    { act: 'wait', days: dice.pick([1, 8, 32]), who: 0, faultSeed: dice.below(2 ** 31) },
    { ...changingPlan(dice), to, who: 0 },
    ...(dice.chance(0.4) ? [{ act: 'portal-cancel', who: 0, faultSeed: dice.below(2 ** 31) } as const] : []),
  ]
}

/** Changes to the yearly plan in the middle of a month, which credits more tokens in the same period. */
const upgradesPlan = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), country: 'US', who: 0 },
  { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
  { ...changingPlan(dice), to: 'yearly', at: 'once', who: 0 },
]

/** Looks at a change of plan, and makes it later: when the quote has expired, the price was edited, or the period was renewed. */
const comesBackToQuote = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), country: 'US', who: 0 },
  { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'preview', to: 'yearly', at: 'once', quantity: 1, who: 0, faultSeed: dice.below(2 ** 31) },
  { ...dice.pick(MEANWHILE), who: 0, faultSeed: dice.below(2 ** 31) },
  { ...changingPlan(dice), to: 'yearly', at: 'once', quoted: true, who: 0 },
]

const MEANWHILE = [
  { act: 'wait', days: 8 },
  { act: 'wait', days: 8 },
  { act: 'edit' },
  { act: 'renew', fails: false },
  { act: 'read' },
] as const

/** Buys several units, and changes their number in the middle of a month. */
const changesQuantity = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), quantity: dice.pick([1, 2, 3] as const), who: 0 },
  { act: 'wait', days: dice.pick([1, 8] as const), who: 0, faultSeed: dice.below(2 ** 31) },
  { ...changingPlan(dice), to: 'monthly', quantity: dice.pick([1, 2, 3] as const), who: 0 },
  { act: 'wait', days: 32, who: 0, faultSeed: dice.below(2 ** 31) },
]

const refundsPayment = (dice: Dice): Step[] => [
  { ...paying(dice, dice.pick(['monthly', 'lifetime'])), who: 0 },
  { act: 'refund', part: dice.pick(['some', 'all', 'all']), who: 0, faultSeed: dice.below(2 ** 31) },
  { act: dice.pick(['fail-refund', 'fail-refund', 'fail-refund', 'read']), who: 0, faultSeed: dice.below(2 ** 31) },
]

const disputed = (dice: Dice): Step[] => [
  { ...paying(dice, dice.pick(['monthly', 'lifetime'])), who: 0 },
  { act: 'dispute', who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'decide-dispute', wins: dice.chance(0.25), who: 0, faultSeed: dice.below(2 ** 31) },
]

const cancels = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), who: 0 },
  { act: 'cancel', who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'read', who: 0, faultSeed: dice.below(2 ** 31) },
]

const pauses = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), who: 0 },
  { act: 'pause', who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
  { ...paying(dice, 'yearly'), who: 0 },
  { act: 'wait', days: 8, who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'resume', who: 0, faultSeed: dice.below(2 ** 31) },
]

const cardFails = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), who: 0 },
  { act: 'card', declines: true, who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'wait', days: 32, who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'wait', days: dice.pick([1, 8, 8]), who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'card', declines: dice.chance(0.6), who: 0, faultSeed: dice.below(2 ** 31) },
]

/** Pays on a page that was opened before its buyer was merged with another one, and pays again by a link that has sold before. */
const paysTwice = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), who: 0 },
  { ...paying(dice, 'monthly'), button: 'leave', who: 1 },
  { act: 'merge', who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'pay-again', who: 1, faultSeed: dice.below(2 ** 31) },
  { act: 'pay-again', who: 0, faultSeed: dice.below(2 ** 31) },
]

/** Pays on a page that is still open after a purchase on another page. */
const paysOnBothPages = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), button: 'leave', who: 0 },
  { ...paying(dice, 'monthly'), who: 0 },
  { act: 'pay-again', who: 0, faultSeed: dice.below(2 ** 31) },
]

/** Leaves a page at an offer open, and pays it after the same or another person has used the offer. */
function usesOffer(dice: Dice): Step[] {
  const slug = dice.pick(['monthly', 'lifetime', 'lifetime'] as const)
  const sale = () => ({
    ...paying(dice, slug),
    country: 'US' as const,
    offer: dice.pick(['by id', 'by code'] as const),
  })
  const wait = { act: 'wait', days: dice.pick([1, 8] as const), who: 0, faultSeed: dice.below(2 ** 31) } as const
  return [
    { ...sale(), button: 'leave', who: 0 },
    ...(dice.chance(0.7) ? [wait] : []),
    { ...sale(), who: dice.below(2) },
    { act: 'pay-again', who: 0, faultSeed: dice.below(2 ** 31) },
    { ...sale(), replaces: true, who: dice.below(2) },
  ]
}

const spendsDaily = (dice: Dice): Step[] => [
  { ...buying(dice), who: 0 },
  { ...tokens(dice), op: 'withdraw', type: 'daily', amount: 2, who: 0 },
  { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
]

/** Replaces a subscription while the processor refuses to stop it, for two days. */
const upgradesInAnOutage = (dice: Dice): Step[] => [
  { ...paying(dice, 'monthly'), who: 0 },
  { act: 'wait', days: 8, who: 0, faultSeed: dice.below(2 ** 31) },
  { ...paying(dice, 'yearly'), button: 'leave', replaces: true, who: 0 },
  { act: 'outage', ends: false, who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'pay-again', who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'wait', days: 1, who: 0, faultSeed: dice.below(2 ** 31) },
  { act: 'outage', ends: true, who: 0, faultSeed: dice.below(2 ** 31) },
]

/** How lives begin: with a purchase, or with a combination of steps that random steps rarely produce. */
export const PLOTS: readonly [Plot, ...Plot[]] = [
  upgradesPlan,
  buysLifetime,
  cancels,
  mergesUsers,
  upgrade,
  changePlans,
  refundsPayment,
  disputed,
  paysTwice,
  pauses,
  cardFails,
  paysOnBothPages,
  spendsDaily,
  upgradesInAnOutage,
  comesBackToQuote,
  usesOffer,
  changesQuantity,
]

/** Whether a plot needs two people. */
export const needsTwoPeople = (plot: Plot) => [mergesUsers, paysTwice, usesOffer].includes(plot)
