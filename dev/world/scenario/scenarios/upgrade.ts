import { advanceClock, advanceToDay, buys, type Scenario, upgrades } from '../steps.ts'

export const UPGRADE: Scenario = {
  about: 'a monthly subscription is replaced by a yearly one, and two upgrades are paid at once',
  steps: [
    buys('monthly'),
    advanceToDay(9),
    upgrades('yearly'),
    advanceToDay(9),
    { title: 'Ann pays for yearly on two pages at once', run: (ann) => ann.upgradeTwice('yearly') },
    advanceToDay(9),
    advanceClock('365 days', '365d'),
  ],
}
