import { AfterRetries } from '../../dev/emulators/core/domain/dues.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import type { Setup } from '../conformance/drivers/set-up.ts'
import { createDice, type Dice } from '../fuzz/dice.ts'
import { needsTwoPeople, PLOTS } from './plots.ts'
import { createStep } from './random-steps.ts'
import type { Step } from './step.ts'

/*
 * Creates the histories. All random choices of a seed are made here, before anything runs, so the same seed always gives the same history.
 * Each step has its own seed for its faults, so the other steps play as before when some are left out.
 */

/** Who calls the service for a person. `owner`: the owner; `user`: the person; `anonymous`: the person, whose address is not known yet. */
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
  /** Which webhooks about this life arrive. With `all`, a missing event at the owner cannot be due to a lost webhook. */
  webhooks: 'all' | 'some' | 'none'
  setup: Setup
  /** Where plans are changed: at the processor, or with change-plan, where the processor supports that. */
  changesPlans: 'at the processor' | 'with change-plan'
  steps: Step[]
}

/** `after`: the number of calls to processors in the round before the kill. */
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

/** Each round plays one step of every life. */
export const ROUNDS = 8

/** The paywall ids of the lives of a history are from a range of this size. */
export const MOST_LIVES = 1_000

const KILLS = 3

type Processors = readonly [ProcessorName, ...ProcessorName[]]

/** Creates the history of a seed, with lives at the given processors; default: at all. */
export function createHistory(seed: number, lives: number, processors: Processors = PROCESSOR_NAMES): History {
  return {
    seed,
    lives: Array.from({ length: lives }, (_, number) => createLife({ seed, number }, processors)),
    kills: createKills(createDice(mixed(seed, -1))),
  }
}

/** Mixes a seed with the number of a life, so that neighbouring seeds and lives do not begin with similar choices. */
const mixed = (seed: number, number: number) => Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 7, 0x85ebca6b)

/** Creates a life. Plots and processors alternate; their numbers have no common divisor, so each plot is soon played at each processor. */
function createLife({ seed, number }: { seed: number; number: number }, processors: Processors): Life {
  const dice = createDice(mixed(seed, number))
  const processor = processors[number % processors.length]!
  const plot = PLOTS[(seed + number) % PLOTS.length]!
  const webhooks = dice.pick(WEBHOOKS)
  const people = createPeople(processor, dice, needsTwoPeople(plot) ? 2 : 1)
  const paywalls = dice.pick(['one', 'one', 'one', 'two of an account', 'test and live'] as const)
  const count = people.length * (paywalls === 'two of an account' ? 2 : 1)
  const who = () => (count > 1 ? dice.below(count) : 0)
  const steps: Step[] = plot(dice).map((step) => ({ ...step, who: Math.min(step.who, count - 1) }))
  while (steps.length < ROUNDS) steps.push({ ...createStep(dice), who: who() })
  const setup = createSetup(dice)
  const changesPlans = dice.pick(['at the processor', 'with change-plan'] as const)
  return { number, processor, people, paywalls, webhooks, setup, changesPlans, steps }
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

/** Creates the people of a life. If the processor does not sell to anonymous users, they are users with an address instead. */
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
