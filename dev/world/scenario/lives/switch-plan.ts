import { buys, type Life, type Step, until } from '../steps.ts'

const changes = (slug: string): Step => ({
  does: `Ann changes the plan to ${slug} in the portal`,
  run: (ann) => ann.changePlan(slug),
})

const schedules = (slug: string): Step => ({
  does: `Ann schedules ${slug} for the end of the period`,
  run: (ann) => ann.changePlan(slug, 'at the end of the period'),
})

export const SWITCH_PLAN: Life = {
  about: 'the plan is changed in the portal, back and forth, and at the end of the period',
  steps: [
    buys('monthly'),
    until(9),
    changes('yearly'),
    until(10),
    changes('monthly'),
    until(11),
    until(11),
    schedules('yearly'),
    until(11),
    until(11),
  ],
}
