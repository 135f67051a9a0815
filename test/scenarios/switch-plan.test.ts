import { expect, test } from 'vitest'
import { SWITCH_PLAN } from '../../dev/world/scenario/lives/switch-plan.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { charged, playAndDeliver, reported, stepTexts, useStages } from './stages.ts'

const getStage = useStages()

const RENEWED = ['payment.succeeded 9.99 USD', 'subscription.renewed']
/** What is left of the yearly price pays this one. */
const RENEWED_FREE = ['subscription.renewed']
const TO_YEARLY = 'subscription.plan_changed monthly → yearly'
const TO_MONTHLY = 'subscription.plan_changed yearly → monthly'
/** The yearly price less what is left of the month, which depends on how long that is. */
const YEARLY = expect.stringMatching(/^79\.[34]\d USD$/)
const YEARLY_PAID = expect.stringMatching(/^payment\.succeeded 79\.[34]\d USD$/)
const TO_AND_FRO = [
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
 * Month by month: what the processor charged, and the events that the owner got. For what is left of a yearly price Freemius gives nothing
 * back, the others a credit. Mollie has no portal.
 */
const EXPECTED: Record<ProcessorName, { charged: string[][]; reported: string[][] }> = {
  stripe: {
    charged: [['9.99 USD', YEARLY], [], ['20.22 USD'], []],
    reported: [TO_AND_FRO, RENEWED_FREE, LATER, []],
  },
  polar: {
    charged: [['9.99 USD', YEARLY], [], [], []],
    reported: [TO_AND_FRO, RENEWED_FREE, RENEWED_FREE, RENEWED_FREE],
  },
  chargebee: {
    charged: [['9.99 USD', YEARLY], [], ['20.22 USD'], []],
    reported: [TO_AND_FRO, RENEWED_FREE, LATER, []],
  },
  freemius: {
    charged: [['9.99 USD', YEARLY], ['9.99 USD'], ['9.99 USD'], ['9.99 USD']],
    reported: [TO_AND_FRO, RENEWED, RENEWED, RENEWED],
  },
  mollie: {
    charged: [['9.99 USD'], ['9.99 USD'], ['9.99 USD'], ['9.99 USD']],
    reported: [
      ['checkout.completed', ...RENEWED, 'subscription.created', 'subscription.trial_ending'].toSorted(),
      RENEWED,
      RENEWED,
      RENEWED,
    ],
  },
}

test.each(PROCESSOR_NAMES)(
  '%s: a plan that is changed in the portal changes here, and to and fro earns nothing',
  async (acquiring) => {
    const { steps, months } = await playAndDeliver(getStage(acquiring), SWITCH_PLAN)
    expect(charged(months)).toEqual(EXPECTED[acquiring].charged)
    expect(reported(months)).toEqual(EXPECTED[acquiring].reported)

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
