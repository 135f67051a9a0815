import { Refused } from '../../emulators/core/acts/refused.ts'
import type { Buyer } from './buyer.ts'

/** A step of a scenario; the table prints `title`. */
export interface Step {
  title: string
  /** Returns why it failed; null: success. */
  run(buyer: Buyer): Promise<string | null>
}

/** A scenario that `npm run scenario` plays. */
export interface Scenario {
  about: string
  steps: Step[]
}

export const buys = (slug: string): Step => ({ title: `Ann buys ${slug}`, run: (ann) => ann.buy(slug) })

export const upgrades = (slug: string): Step => ({
  title: `Ann upgrades to ${slug}`,
  run: (ann) => ann.buy(slug, { ignoreActivePurchase: true }),
})

export const advanceClock = (span: string, by: string): Step => ({
  title: `${span} pass`,
  run: (ann) => ann.advance(by),
})

/** Moves the clock to noon of the given day, in this month or the next. A scenario begins on the first of a month. */
export const advanceToDay = (day: number): Step => ({
  title: `time passes until the ${day}th`,
  run: (ann) => ann.advanceToDay(day),
})

export const uses = (tokens: number): Step => ({ title: `Ann uses ${tokens} tokens`, run: (ann) => ann.use(tokens) })

export const cancels: Step = { title: 'Ann cancels: too expensive', run: (ann) => ann.cancel('too expensive') }

export const declined: Step = { title: "Ann's bank starts to refuse charges", run: (ann) => ann.bankDeclines(true) }

export const disputes: Step = {
  title: "Ann's bank disputes the payment",
  run: (ann) => ann.atProcessor((acts, id) => acts.dispute(id)),
}

/** The bank decides the dispute. */
export const bankDecides = (winner: 'the owner' | 'Ann'): Step => ({
  title: `the bank decides for ${winner}`,
  run: (ann) =>
    ann.atProcessor(async (acts, id) => {
      if (!acts.decideDispute) throw new Refused('the processor does not report it')
      return acts.decideDispute(id, winner === 'the owner')
    }),
})
