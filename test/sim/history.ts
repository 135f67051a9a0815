import { ACQUIRING, type Acquiring } from '../../lib/processors/acquiring.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { type Dice, diceOf } from '../fuzz/dice.ts'

/*
 * What is played: everything random of a seed is chosen here, before anything runs, so the same seed plays the same
 * choices. Each step has its own weather, so that a history with steps left out plays the others as before.
 */

/**
 * What a person does, or what happens to it at the processor; `wait`: so many days pass by its paywall's clock; `due`: whatever
 * reconcile will look at is due now; `sign-in`: an anonymous user signs in, perhaps as another of the life; `merge`: the owner merges
 * two; `edit`: the owner changes the monthly price. `who` does it, or has it done to: the number of a person of the life. What cannot
 * happen at that moment does not.
 */
export type Step = { weather: number; who: number } & (
  | {
      act: 'buy'
      slug: Slug
      country: 'US' | 'DE'
      button: Button
      comesBack: boolean
      clicks: 1 | 2 | 3
    }
  | { act: 'tokens'; op: 'credit' | 'debit' | 'withdraw'; amount: number; keyed: boolean }
  | { act: 'resolve' | 'renew'; fails: boolean }
  | { act: 'refund'; part: 'some' | 'all' }
  | { act: 'wait'; days: (typeof DAYS)[number] }
  | { act: 'roll-over' | 'portal-cancel' | 'undo' | 'end' | 'dispute' }
  | { act: 'sign-in'; as: 'itself' | 'another' }
  | { act: 'cancel' | 'read' | 'due' | 'merge' | 'edit' }
)

export type Slug = 'monthly' | 'yearly' | 'lifetime'

/** `leave`: the page is opened and none of its buttons is pressed. */
export type Button = 'pay' | 'later' | 'transfer' | 'decline' | 'cancel' | 'leave'

/** How somebody is known: `owner`: by the owner's calls; `user`: it makes its own; `anonymous`: it does, and has no name yet. */
export type Kind = 'owner' | 'user' | 'anonymous'

/** One or two people, on a paywall of their own. */
export interface Life {
  number: number
  processor: Acquiring
  people: Kind[]
  /** Whether every webhook about this life is lost for good. */
  unheard: boolean
  steps: Step[]
}

/** `after`: so many calls of processors into the round. */
export interface Kill {
  round: number
  what: 'workers' | 'postgres' | 'both'
  after: number
}

export interface History {
  seed: number
  lives: Life[]
  kills: Kill[]
}

/** One step of every life is played in the same round. */
export const ROUNDS = 8

const KILLS = 3

/** Not yet the end of a trial, just after it, and a period that is over. */
const DAYS = [1, 8, 32] as const

type Processors = readonly [Acquiring, ...Acquiring[]]

/** Lives at any of the processors, or at those that are given. */
export function historyOf(seed: number, lives: number, processors: Processors = ACQUIRING): History {
  return {
    seed,
    lives: Array.from({ length: lives }, (_, number) => lifeOf(number, processors, diceOf(mixed(seed, number)))),
    kills: killsOf(diceOf(mixed(seed, -1))),
  }
}

/** So that neighbouring seeds and lives do not begin alike. */
const mixed = (seed: number, number: number) => Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 7, 0x85ebca6b)

function lifeOf(number: number, processors: Processors, dice: Dice): Life {
  const processor = dice.pick(processors)
  const unheard = dice.chance(0.1)
  const people = peopleOf(processor, dice)
  const who = () => (people.length > 1 ? dice.below(people.length) : 0)
  const steps: Step[] = [{ ...buying(dice), who: who() }]
  while (steps.length < ROUNDS) steps.push({ ...stepOf(dice), who: who() })
  return { number, processor, people, unheard, steps }
}

const COMPANIES: readonly [Kind[], ...Kind[][]] = [
  ['owner'],
  ['owner', 'owner'],
  ['user'],
  ['user', 'anonymous'],
  ['anonymous'],
  ['anonymous', 'owner'],
]

/** Where nobody buys without an address, everybody has one. */
function peopleOf(processor: Acquiring, dice: Dice): Kind[] {
  const { sellsToAnonymous } = DEFINITIONS[processor].abilities
  return dice.pick(COMPANIES).map((kind) => (kind === 'anonymous' && !sellsToAnonymous ? 'user' : kind))
}

/** A step, whoever's it is. */
type Chosen = Step extends infer Each ? (Each extends Step ? Omit<Each, 'who'> : never) : never

function stepOf(dice: Dice): Chosen {
  const chance = dice.below(100)
  const weather = dice.below(2 ** 31)
  if (chance < 24) return buying(dice)
  if (chance < 38) return tokens(dice)
  if (chance < 54) return { act: 'renew', fails: dice.chance(0.35), weather }
  if (chance < 60) return { act: 'resolve', fails: dice.chance(0.3), weather }
  if (chance < 65) return { act: 'refund', part: dice.pick(['some', 'all']), weather }
  if (chance < 73) return { act: 'wait', days: dice.pick(DAYS), weather }
  if (chance < 79) return { act: 'sign-in', as: dice.pick(['itself', 'another']), weather }
  if (chance < 82) return { act: 'merge', weather }
  if (chance < 85) return { act: 'edit', weather }
  const acts = [
    'cancel',
    'cancel',
    'cancel',
    'portal-cancel',
    'undo',
    'roll-over',
    'dispute',
    'end',
    'read',
    'due',
  ] as const
  return { act: dice.pick(acts), weather }
}

const BUTTONS = ['pay', 'pay', 'pay', 'pay', 'pay', 'pay', 'later', 'transfer', 'decline', 'cancel', 'leave'] as const

const buying = (dice: Dice): Chosen => ({
  act: 'buy',
  slug: dice.pick(['monthly', 'monthly', 'yearly', 'yearly', 'lifetime']),
  country: dice.pick(['US', 'US', 'DE']),
  button: dice.pick(BUTTONS),
  comesBack: dice.chance(0.6),
  clicks: dice.pick([1, 1, 1, 2, 3]),
  weather: dice.below(2 ** 31),
})

const tokens = (dice: Dice): Chosen => ({
  act: 'tokens',
  op: dice.pick(['credit', 'credit', 'debit', 'withdraw']),
  amount: 1 + dice.below(40),
  keyed: dice.chance(0.5),
  weather: dice.below(2 ** 31),
})

function killsOf(dice: Dice): Kill[] {
  return Array.from({ length: KILLS }, () => ({
    round: dice.below(ROUNDS),
    what: dice.pick(['workers', 'workers', 'postgres', 'both']),
    after: 1 + dice.below(12),
  }))
}
