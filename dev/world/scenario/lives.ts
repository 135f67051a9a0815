import type { Buyer } from './buyer.ts'

/** Something that happens in a life, as the table tells it. */
export interface Step {
  does: string
  /** Gives why it was refused; null: it was done. */
  run(buyer: Buyer): Promise<string | null>
}

/** A life that `npm run scenario` plays. */
export interface Life {
  about: string
  steps: Step[]
}

const buys = (slug: string): Step => ({ does: `Ann buys ${slug}`, run: (ann) => ann.buy(slug) })
const passes = (span: string, by: string): Step => ({ does: `${span} pass`, run: (ann) => ann.passes(by) })
const uses = (tokens: number): Step => ({ does: `Ann uses ${tokens} tokens`, run: (ann) => ann.use(tokens) })
const cancels: Step = { does: 'Ann cancels: too expensive', run: (ann) => ann.cancel('too expensive') }
const declined: Step = { does: 'her bank begins to refuse charges', run: (ann) => ann.bankDeclines(true) }

/** The lives, by their names. */
export const LIVES: Record<string, Life> = {
  'trial-to-churn': {
    about: 'a trial becomes a subscription, which is renewed, cancelled and over',
    steps: [buys('monthly'), passes('8 days', '8d'), passes('31 days', '31d'), cancels, passes('31 days', '31d')],
  },
  'failed-payment-recovers': {
    about: 'a renewal fails, and is paid when the bank is asked again',
    steps: [
      buys('monthly'),
      passes('8 days', '8d'),
      { does: 'the next charge fails', run: (ann) => ann.at((acts, id) => acts.failCharge(id)) },
      { does: 'the charge is made good', run: (ann) => ann.at((acts, id) => acts.recover(id)) },
    ],
  },
  'failed-payment-churns': {
    about: 'a bank refuses every charge, until the processor gives up',
    steps: [
      buys('monthly'),
      passes('8 days', '8d'),
      declined,
      passes('31 days', '31d'),
      passes('31 days', '31d'),
      passes('31 days', '31d'),
    ],
  },
  refund: {
    about: 'what was bought for ever is given back',
    steps: [
      buys('lifetime'),
      uses(100),
      { does: 'the owner refunds it at the processor', run: (ann) => ann.at((acts, id) => acts.refund(id)) },
    ],
  },
  dispute: {
    about: "a payer's bank takes a payment back",
    steps: [
      buys('lifetime'),
      { does: 'her bank takes the payment back', run: (ann) => ann.at((acts, id) => acts.dispute(id)) },
    ],
  },
  upgrade: {
    about: 'a monthly subscription makes way for a yearly one',
    steps: [buys('monthly'), passes('8 days', '8d'), buys('yearly'), cancels, passes('31 days', '31d'), buys('yearly')],
  },
  tokens: {
    about: 'tokens are credited, used, refused and filled up',
    steps: [buys('monthly'), uses(45), uses(100), passes('8 days', '8d'), uses(100), passes('31 days', '31d')],
  },
  'lost-webhooks': {
    about: 'a purchase and its renewals come to light though no webhook comes, nor the browser',
    steps: [
      {
        does: 'Ann buys monthly; her browser and the webhooks get lost on the way back',
        run: (ann) => ann.unheard(() => ann.buy('monthly', { comesBack: false })),
      },
      passes('2 days', '2d'),
      { does: '8 days pass, in which no webhook comes', run: (ann) => ann.unheard(() => ann.passes('8d')) },
      { does: '31 days pass, in which no webhook comes', run: (ann) => ann.unheard(() => ann.passes('31d')) },
    ],
  },
}
