import { advanceClock, buys, type Life, until, upgrades } from '../steps.ts'

export const UPGRADE: Life = {
  about: 'a monthly subscription is replaced by a yearly one, and two upgrades are paid at once',
  steps: [
    buys('monthly'),
    until(9),
    upgrades('yearly'),
    until(9),
    { does: 'Ann pays for yearly on two pages at once', run: (ann) => ann.upgradeTwice('yearly') },
    until(9),
    advanceClock('365 days', '365d'),
  ],
}
