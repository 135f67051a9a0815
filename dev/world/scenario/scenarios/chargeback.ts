import { advanceToDay, bankDecides, buys, disputes, type Scenario } from '../steps.ts'

export const CHARGEBACK: Scenario = {
  about: 'payments, one of them a renewal, are disputed and decided for the owner or the buyer',
  steps: [
    buys('lifetime'),
    disputes,
    bankDecides('Ann'),
    advanceToDay(4),
    buys('lifetime'),
    disputes,
    bankDecides('the owner'),
    buys('monthly'),
    advanceToDay(12),
    advanceToDay(12),
    disputes,
    bankDecides('Ann'),
    advanceToDay(12),
  ],
}
