import type { Dice } from '../fuzz/dice.ts'
import type { Slug, Step } from './step.ts'

/** Before the end of a trial, just after it, and after the end of a monthly period. */
const DAYS = [1, 8, 32] as const

/** A step without its person. */
export type Chosen = Step extends infer Each ? (Each extends Step ? Omit<Each, 'who'> : never) : never

export function createStep(dice: Dice): Chosen {
  const chance = dice.below(100)
  const faultSeed = dice.below(2 ** 31)
  if (chance < 24) return buying(dice)
  if (chance < 34) return tokens(dice)
  if (chance < 46) return { act: 'renew', fails: dice.chance(0.35), faultSeed }
  if (chance < 50) return { act: 'card', declines: dice.chance(0.7), faultSeed }
  if (chance < 55) return { act: 'resolve', fails: dice.chance(0.3), faultSeed }
  if (chance < 60) return { act: 'refund', part: dice.pick(['some', 'all']), faultSeed }
  if (chance < 64) return changingPlan(dice)
  if (chance < 66) return { act: 'decide-dispute', wins: dice.chance(0.5), faultSeed }
  if (chance < 74) return { act: 'wait', days: dice.pick(DAYS), faultSeed }
  if (chance < 79) return { act: 'sign-in', as: dice.pick(['itself', 'another']), faultSeed }
  if (chance < 82) return { act: 'merge', faultSeed }
  if (chance < 85) return { act: 'edit', faultSeed }
  const acts = [
    'cancel',
    'cancel',
    'cancel',
    'portal-cancel',
    'undo',
    'roll-over',
    'dispute',
    'dispute',
    'fail-refund',
    'pay-again',
    'pause',
    'resume',
    'end',
    'read',
    'due',
  ] as const
  return { act: dice.pick(acts), faultSeed }
}

const QUANTITIES = [1, 1, 2, 3] as const

const BUTTONS = ['pay', 'pay', 'pay', 'pay', 'pay', 'pay', 'later', 'transfer', 'decline', 'cancel', 'leave'] as const

/** A purchase that is paid at once, which makes the most later steps possible. */
export const paying = (dice: Dice, slug: Slug) => ({ ...buying(dice), slug, button: 'pay' as const, replaces: false })

export const buying = (dice: Dice): Extract<Chosen, { act: 'buy' }> => ({
  act: 'buy',
  slug: dice.pick(['monthly', 'monthly', 'yearly', 'yearly', 'lifetime']),
  country: dice.pick(['US', 'US', 'DE']),
  offer: dice.pick(['none', 'none', 'none', 'none', 'by id', 'by code']),
  button: dice.pick(BUTTONS),
  quantity: dice.pick(QUANTITIES),
  replaces: dice.chance(0.25),
  comesBack: dice.chance(0.6),
  clicks: dice.pick([1, 1, 1, 2, 3]),
  faultSeed: dice.below(2 ** 31),
})

export const changingPlan = (dice: Dice): Extract<Chosen, { act: 'change-plan' }> => ({
  act: 'change-plan',
  to: dice.pick(['monthly', 'yearly', 'monthly', 'yearly', 'team']),
  at: dice.pick(['once', 'once', 'the end of the period']),
  quantity: dice.pick(QUANTITIES),
  quoted: dice.chance(0.5),
  faultSeed: dice.below(2 ** 31),
})

export const tokens = (dice: Dice): Extract<Chosen, { act: 'tokens' }> => ({
  act: 'tokens',
  op: dice.pick(['credit', 'credit', 'debit', 'withdraw']),
  type: 'premium',
  amount: 1 + dice.below(40),
  keyed: dice.chance(0.5),
  faultSeed: dice.below(2 ** 31),
})
