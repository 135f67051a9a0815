import { CHARGEBACK } from './lives/chargeback.ts'
import { REBUY } from './lives/rebuy.ts'
import { SWITCH_PLAN } from './lives/switch-plan.ts'
import { UPGRADE } from './lives/upgrade.ts'
import { advanceClock, buys, cancels, declined, type Life, uses } from './steps.ts'

/** The lives by name. */
export const LIVES: Record<string, Life> = {
  'trial-to-churn': {
    about: 'a trial becomes a subscription, which renews, is cancelled and ends',
    steps: [
      buys('monthly'),
      advanceClock('8 days', '8d'),
      advanceClock('31 days', '31d'),
      cancels,
      advanceClock('31 days', '31d'),
    ],
  },
  'failed-payment-recovers': {
    about: 'a renewal fails, and a retry succeeds',
    steps: [
      buys('monthly'),
      advanceClock('8 days', '8d'),
      { does: 'the next charge fails', run: (ann) => ann.at((acts, id) => acts.failCharge(id)) },
      { does: 'a retry of the charge succeeds', run: (ann) => ann.at((acts, id) => acts.recover(id)) },
    ],
  },
  'failed-payment-churns': {
    about: 'a bank refuses every charge, until the processor gives up',
    steps: [
      buys('monthly'),
      advanceClock('8 days', '8d'),
      declined,
      advanceClock('31 days', '31d'),
      advanceClock('31 days', '31d'),
      advanceClock('31 days', '31d'),
    ],
  },
  refund: {
    about: 'a lifetime purchase is refunded',
    steps: [
      buys('lifetime'),
      uses(100),
      { does: 'the owner refunds it at the processor', run: (ann) => ann.at((acts, id) => acts.refund(id)) },
    ],
  },
  chargeback: CHARGEBACK,
  rebuy: REBUY,
  'switch-plan': SWITCH_PLAN,
  upgrade: UPGRADE,
  tokens: {
    about: 'tokens are credited, used up, refused and topped up',
    steps: [
      buys('monthly'),
      uses(45),
      uses(100),
      advanceClock('8 days', '8d'),
      uses(100),
      advanceClock('31 days', '31d'),
    ],
  },
  'lost-webhooks': {
    about: 'a purchase and its renewals are found although the webhooks and the browser get lost',
    steps: [
      {
        does: 'Ann buys monthly; her browser does not return, and the webhooks are lost',
        run: (ann) => ann.withoutWebhooks(() => ann.buy('monthly', { comesBack: false })),
      },
      advanceClock('2 days', '2d'),
      { does: '8 days pass without webhooks', run: (ann) => ann.withoutWebhooks(() => ann.passes('8d')) },
      { does: '31 days pass without webhooks', run: (ann) => ann.withoutWebhooks(() => ann.passes('31d')) },
    ],
  },
}
