import { CHARGEBACK } from './scenarios/chargeback.ts'
import { REBUY } from './scenarios/rebuy.ts'
import { SWITCH_PLAN } from './scenarios/switch-plan.ts'
import { UPGRADE } from './scenarios/upgrade.ts'
import { advanceClock, buys, cancels, declined, type Scenario, uses } from './steps.ts'

/** The scenarios by name. */
export const SCENARIOS: Record<string, Scenario> = {
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
      { title: 'the next charge fails', run: (ann) => ann.atProcessor((acts, id) => acts.failCharge(id)) },
      { title: 'a retry of the charge succeeds', run: (ann) => ann.atProcessor((acts, id) => acts.recover(id)) },
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
      { title: 'the owner refunds it at the processor', run: (ann) => ann.atProcessor((acts, id) => acts.refund(id)) },
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
        title: 'Ann buys monthly; her browser does not return, and the webhooks are lost',
        run: (ann) => ann.withoutWebhooks(() => ann.buy('monthly', { comesBack: false })),
      },
      advanceClock('2 days', '2d'),
      { title: '8 days pass without webhooks', run: (ann) => ann.withoutWebhooks(() => ann.advance('8d')) },
      { title: '31 days pass without webhooks', run: (ann) => ann.withoutWebhooks(() => ann.advance('31d')) },
    ],
  },
}
