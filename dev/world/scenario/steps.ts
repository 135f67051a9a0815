import { Refused } from '../../emulators/core/acts/refused.ts'
import type { Buyer } from './buyer.ts'

/** A step of a life; the table prints `does`. */
export interface Step {
  does: string
  /** Returns why it failed; null: success. */
  run(buyer: Buyer): Promise<string | null>
}

/** A life that `npm run scenario` plays. */
export interface Life {
  about: string
  steps: Step[]
}

export const buys = (slug: string): Step => ({ does: `Ann buys ${slug}`, run: (ann) => ann.buy(slug) })

export const upgrades = (slug: string): Step => ({
  does: `Ann upgrades to ${slug}`,
  run: (ann) => ann.buy(slug, { ignoreActivePurchase: true }),
})

export const advanceClock = (span: string, by: string): Step => ({ does: `${span} pass`, run: (ann) => ann.passes(by) })

/** Until noon of the next such day of the month. A life begins on the first. */
export const until = (day: number): Step => ({
  does: `time passes until the ${day}th`,
  run: (ann) => ann.waitUntil(day),
})

export const uses = (tokens: number): Step => ({ does: `Ann uses ${tokens} tokens`, run: (ann) => ann.use(tokens) })

export const cancels: Step = { does: 'Ann cancels: too expensive', run: (ann) => ann.cancel('too expensive') }

export const declined: Step = { does: "Ann's bank starts to refuse charges", run: (ann) => ann.bankDeclines(true) }

export const disputes: Step = {
  does: "Ann's bank disputes the payment",
  run: (ann) => ann.at((acts, id) => acts.dispute(id)),
}

/** The bank decides the dispute. */
export const ownVerdicts = (winner: 'the owner' | 'Ann'): Step => ({
  does: `the bank decides for ${winner}`,
  run: (ann) =>
    ann.at(async (acts, id) => {
      if (!acts.decideDispute) throw new Refused('the processor does not report it')
      return acts.decideDispute(id, winner === 'the owner')
    }),
})
