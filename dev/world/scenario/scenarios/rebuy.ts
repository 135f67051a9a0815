import { advanceToDay, buys, cancels, declined, type Scenario } from '../steps.ts'

/** On the 16th, eight days after the failed renewal, access has ended, and every processor still retries the charge. */
export const REBUY: Scenario = {
  about: 'renewals fail, she tries to buy again, fixes her card instead, and buys again after the end',
  steps: [
    buys('monthly'),
    advanceToDay(9),
    declined,
    advanceToDay(9),
    advanceToDay(16),
    buys('monthly'),
    { title: 'Ann opens the portal', run: (ann) => ann.openPortal() },
    { title: 'Ann fixes her card', run: (ann) => ann.bankDeclines(false) },
    advanceToDay(25),
    advanceToDay(9),
    advanceToDay(9),
    cancels,
    advanceToDay(9),
    buys('monthly'),
    advanceToDay(10),
  ],
}
