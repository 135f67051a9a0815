import { AfterRetries } from '../../dev/emulators/core/domain/dues.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import type { Setup } from '../conformance/drivers/set-up.ts'
import { createDice, type Dice } from '../fuzz/dice.ts'
import { PLOTS, takesTwo } from './plots.ts'
import { createStep } from './random-steps.ts'
import type { Step } from './step.ts'

/*
 * What is played: everything random of a seed is chosen here, before anything runs, so the same seed plays the same
 * choices. Each step has its own seed of faults, so that a history with steps left out plays the others as before.
 */

/** How somebody is known: `owner`: by the owner's calls; `user`: it makes its own; `anonymous`: it does, and has no name yet. */
export type Kind = 'owner' | 'user' | 'anonymous'

/**
 * Which paywalls the people of a life are on: one of their own, two that share an account, or a test one and a live one, each with an
 * account of its own.
 */
export type Paywalls = 'one' | 'two of an account' | 'test and live'

/** Up to three people, each on all paywalls of the life. */
export interface Life {
  number: number
  processor: ProcessorName
  people: Kind[]
  paywalls: Paywalls
  /** Which webhooks about this life arrive: `none` or `some` of them, or `all`, so that nothing excuses an event that the owner did not get. */
  webhooks: 'all' | 'some' | 'none'
  setup: Setup
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

/** The lives of a history have paywall ids from a range of this size. */
export const MOST_LIVES = 1_000

const KILLS = 3

type Processors = readonly [ProcessorName, ...ProcessorName[]]

/** Lives at any of the processors, or at those that are given. */
export function createHistory(seed: number, lives: number, processors: Processors = PROCESSOR_NAMES): History {
  return {
    seed,
    lives: Array.from({ length: lives }, (_, number) => createLife({ seed, number }, processors)),
    kills: createKills(createDice(mixed(seed, -1))),
  }
}

/** So that neighbouring seeds and lives do not begin alike. */
const mixed = (seed: number, number: number) => Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 7, 0x85ebca6b)

/** Plots and processors take turns, so that each plot soon comes to each processor: their numbers have no common divisor. */
function createLife({ seed, number }: { seed: number; number: number }, processors: Processors): Life {
  const dice = createDice(mixed(seed, number))
  const processor = processors[number % processors.length]!
  const plot = PLOTS[(seed + number) % PLOTS.length]!
  const webhooks = dice.pick(WEBHOOKS)
  const people = createPeople(processor, dice, takesTwo(plot) ? 2 : 1)
  const paywalls = dice.pick(['one', 'one', 'one', 'two of an account', 'test and live'] as const)
  const count = people.length * (paywalls === 'two of an account' ? 2 : 1)
  const who = () => (count > 1 ? dice.below(count) : 0)
  const steps: Step[] = plot(dice).map((step) => ({ ...step, who: Math.min(step.who, count - 1) }))
  while (steps.length < ROUNDS) steps.push({ ...createStep(dice), who: who() })
  return { number, processor, people, paywalls, webhooks, setup: createSetup(dice), steps }
}

const WEBHOOKS = ['none', 'all', 'all', 'all', 'all', 'some', 'some', 'some', 'some', 'some'] as const

const createSetup = (dice: Dice): Setup => ({
  terms: dice.pick([null, null, { taxPercent: 19, percentOff: 0 }, { taxPercent: 0, percentOff: 25 }]),
  afterRetries: dice.pick([null, null, ...AfterRetries.options]),
  lagSeconds: dice.pick([0, 0, 0, 1]),
})

const COMPANIES: readonly Kind[][] = [
  ['owner'],
  ['owner', 'owner'],
  ['user'],
  ['user', 'anonymous'],
  ['anonymous'],
  ['anonymous', 'owner'],
  ['owner', 'user', 'anonymous'],
]

/** Where nobody buys without an address, everybody has one. */
function createPeople(processor: ProcessorName, dice: Dice, atLeast: number): Kind[] {
  const { sellsToAnonymous } = DEFINITIONS[processor].capabilities
  const companies = COMPANIES.filter(({ length }) => length >= atLeast)
  return companies[dice.below(companies.length)]!.map((kind) =>
    kind === 'anonymous' && !sellsToAnonymous ? 'user' : kind,
  )
}

function createKills(dice: Dice): Kill[] {
  return Array.from({ length: KILLS }, () => ({
    round: dice.below(ROUNDS),
    what: dice.pick(['workers', 'workers', 'postgres', 'both']),
    after: 1 + dice.below(12),
  }))
}
