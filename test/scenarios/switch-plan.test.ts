import { expect, test } from 'vitest'
import { SWITCH_PLAN } from '../../dev/world/scenario/scenarios/switch-plan.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { chargesByMonth, eventsByMonth, playAndDeliver, stepTexts, useStages } from './stages.ts'

const getStage = useStages()

const RENEWED = ['payment.succeeded 9.99 USD', 'subscription.renewed']
/** A renewal that is paid with the credit for the yearly price. */
const RENEWED_FREE = ['subscription.renewed']
const TO_YEARLY = 'subscription.plan_changed monthly → yearly'
const SCHEDULED = 'subscription.plan_change_scheduled monthly → yearly'
const TO_MONTHLY = 'subscription.plan_changed yearly → monthly'
/** The yearly price minus the proration for the rest of the month, whose length varies. */
const YEARLY = expect.stringMatching(/^79\.[34]\d USD$/)
const YEARLY_PAID = expect.stringMatching(/^payment\.succeeded 79\.[34]\d USD$/)
const FIRST_MONTH = [
  'checkout.completed',
  YEARLY_PAID,
  'payment.succeeded 9.99 USD',
  'subscription.created',
  TO_YEARLY,
  TO_MONTHLY,
  'subscription.renewed',
  'subscription.trial_ending',
]
const LATER = [TO_YEARLY, 'payment.succeeded 20.22 USD', 'subscription.renewed'].toSorted()

/**
 * Month by month: what the processor charged, and the owner's events. For the unused part of a yearly price Freemius gives no credit;
 * the others do. Mollie has no portal.
 */
const EXPECTED: Record<ProcessorName, { charges: string[][]; events: string[][] }> = {
  stripe: {
    charges: [['9.99 USD', YEARLY], [], ['20.22 USD'], []],
    events: [FIRST_MONTH, [SCHEDULED, ...RENEWED_FREE], LATER, []],
  },
  polar: {
    charges: [['9.99 USD', YEARLY], [], [], []],
    events: [FIRST_MONTH, RENEWED_FREE, RENEWED_FREE, RENEWED_FREE],
  },
  chargebee: {
    charges: [['9.99 USD', YEARLY], [], ['20.22 USD'], []],
    events: [FIRST_MONTH, [SCHEDULED, ...RENEWED_FREE], LATER, []],
  },
  freemius: {
    charges: [['9.99 USD', YEARLY], ['9.99 USD'], ['9.99 USD'], ['9.99 USD']],
    events: [FIRST_MONTH, RENEWED, RENEWED, RENEWED],
  },
  mollie: {
    charges: [['9.99 USD'], ['9.99 USD'], ['9.99 USD'], ['9.99 USD']],
    events: [
      ['checkout.completed', ...RENEWED, 'subscription.created', 'subscription.trial_ending'].toSorted(),
      RENEWED,
      RENEWED,
      RENEWED,
    ],
  },
}

test.each(PROCESSOR_NAMES)(
  '%s: a change of plan in the portal is synced, and switching back and forth credits no extra tokens',
  async (acquiring) => {
    const { steps, months } = await playAndDeliver(getStage(acquiring), SWITCH_PLAN)
    expect(chargesByMonth(months)).toEqual(EXPECTED[acquiring].charges)
    expect(eventsByMonth(months)).toEqual(EXPECTED[acquiring].events)

    const texts = stepTexts(steps)
    const [toYearly, toMonthly, later] = texts.filter(({ did }) => /^Ann (changes|schedules)/.test(did))
    if (acquiring === 'mollie') {
      for (const step of [toYearly, toMonthly, later]) expect(step?.did).toMatch(/: Mollie has no portal$/)
      return
    }
    const tokens = [{ type: 'standard', count: 8050 }]
    expect(toYearly?.access).toMatchObject({
      features: expect.arrayContaining(['priority-support']),
      purchases: [{ price_slug: 'yearly' }],
      balances: tokens,
    })
    expect(toMonthly?.access).toMatchObject({ purchases: [{ price_slug: 'monthly' }], balances: tokens })
    expect(toMonthly?.access?.features).not.toContain('priority-support')
    expect(texts.at(-1)?.access).toMatchObject({ balances: tokens })
    const isPossible = acquiring === 'stripe' || acquiring === 'chargebee'
    expect(later?.did).toMatch(isPossible ? /of the period$/ : /: the portal of \w+ does not offer this$/)
  },
  60_000,
)
