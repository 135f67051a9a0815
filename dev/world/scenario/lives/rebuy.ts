import { buys, cancels, declined, type Life, until } from '../steps.ts'

/** On the 16th, eight days after the failed renewal, access has ended, and every processor still retries the charge. */
export const REBUY: Life = {
  about: 'renewals fail, she tries to buy again, fixes her card instead, and buys again after the end',
  steps: [
    buys('monthly'),
    until(9),
    declined,
    until(9),
    until(16),
    buys('monthly'),
    { does: 'Ann opens the portal', run: (ann) => ann.openPortal() },
    { does: 'Ann fixes her card', run: (ann) => ann.bankDeclines(false) },
    until(25),
    until(9),
    until(9),
    cancels,
    until(9),
    buys('monthly'),
    until(10),
  ],
}
