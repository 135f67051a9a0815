import { buys, decides, disputes, type Life, until } from '../steps.ts'

export const CHARGEBACK: Life = {
  about: "a payer's bank takes payments back, that of a renewal too, and decides for the owner or for her",
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
