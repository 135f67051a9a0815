import { buys, decides, disputes, type Life, until } from '../steps.ts'

export const CHARGEBACK: Life = {
  about: 'payments, one of them a renewal, are disputed and decided for the owner or the buyer',
  steps: [
    buys('lifetime'),
    disputes,
    decides('Ann'),
    until(4),
    buys('lifetime'),
    disputes,
    decides('the owner'),
    buys('monthly'),
    until(12),
    until(12),
    disputes,
    decides('Ann'),
    until(12),
  ],
}
