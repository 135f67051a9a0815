import { buys, disputes, type Life, ownVerdicts, until } from '../steps.ts'

export const CHARGEBACK: Life = {
  about: 'payments, one of them a renewal, are disputed and decided for the owner or the buyer',
  steps: [
    buys('lifetime'),
    disputes,
    ownVerdicts('Ann'),
    until(4),
    buys('lifetime'),
    disputes,
    ownVerdicts('the owner'),
    buys('monthly'),
    until(12),
    until(12),
    disputes,
    ownVerdicts('Ann'),
    until(12),
  ],
}
