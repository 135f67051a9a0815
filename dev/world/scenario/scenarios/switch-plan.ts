import { advanceToDay, buys, type Scenario, type Step } from '../steps.ts'

const changes = (slug: string): Step => ({
  title: `Ann changes the plan to ${slug} in the portal`,
  run: (ann) => ann.changePlan(slug),
})

const schedules = (slug: string): Step => ({
  title: `Ann schedules ${slug} for the end of the period`,
  run: (ann) => ann.changePlan(slug, 'at the end of the period'),
})

export const SWITCH_PLAN: Scenario = {
  about: 'the plan is changed in the portal, back and forth, and at the end of the period',
  steps: [
    buys('monthly'),
    advanceToDay(9),
    changes('yearly'),
    advanceToDay(10),
    changes('monthly'),
    advanceToDay(11),
    advanceToDay(11),
    schedules('yearly'),
    advanceToDay(11),
    advanceToDay(11),
  ],
}
