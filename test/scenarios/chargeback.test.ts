import { expect, test } from 'vitest'
import type { Row } from '../../dev/world/scenario/play.ts'
import { CHARGEBACK } from '../../dev/world/scenario/scenarios/chargeback.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { chargesByMonth, eventsByMonth, playAndDeliver, useStages } from './stages.ts'

const getStage = useStages()

const RENEWED = ['payment.succeeded 9.99 USD', 'subscription.renewed']

/** The other events of a subscription whose renewal is charged back: in that month, and in the next. */
const OTHER_EVENTS: Record<ProcessorName, [string[], string[]]> = {
  stripe: [[], RENEWED],
  polar: [['subscription.ended'], []],
  chargebee: [[], RENEWED],
  freemius: [[], RENEWED],
  mollie: [
    ['payment.failed 9.99 USD', 'subscription.access_ended', 'subscription.past_due'],
    [...RENEWED, 'subscription.recovered'],
  ],
}

test.each(PROCESSOR_NAMES)(
  '%s: a chargeback removes the purchase and its tokens, which are restored if the owner wins the dispute',
  async (acquiring) => {
    const { steps, months } = await playAndDeliver(getStage(acquiring), CHARGEBACK)
    const [sameMonth, nextMonth] = OTHER_EVENTS[acquiring]
    expect(chargesByMonth(months)).toEqual([
      ['249.00 USD (249.00 USD charged back)', '249.00 USD', '9.99 USD'],
      ['9.99 USD (9.99 USD charged back)'],
      nextMonth.length > 0 ? ['9.99 USD'] : [],
    ])

    const { refundsWhenDisputed } = DEFINITIONS[acquiring].capabilities
    const sold = ['checkout.completed', 'payment.succeeded 249.00 USD']
    const lost = ['payment.disputed 249.00 USD', 'payment.dispute_lost 249.00 USD']
    const won = [...(refundsWhenDisputed ? lost : lost.slice(0, 1)), 'payment.dispute_won 249.00 USD']
    expect(eventsByMonth(months)).toEqual([
      [
        ...sold,
        ...lost,
        ...sold,
        ...won,
        'checkout.completed',
        'subscription.created',
        'subscription.trial_ending',
        ...RENEWED,
      ].toSorted(),
      [...RENEWED, 'payment.disputed 9.99 USD', 'payment.dispute_lost 9.99 USD', ...sameMonth].toSorted(),
      nextMonth.toSorted(),
    ])

    const [again] = findSteps(steps, 'the 4th')
    expect(again?.access).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
    const [kept] = findSteps(steps, 'for the owner')
    expect(kept?.access).toMatchObject({ paid: true, purchases: [{ status: 'active' }, { status: 'refunded' }] })
    const [, renewed] = findSteps(steps, 'the 12th')
    const [, , taken] = findSteps(steps, 'the bank')
    expect([tokens(kept), tokens(renewed), tokens(taken)]).toEqual([20_010, 21_060, 20_560])
  },
  60_000,
)

const findSteps = (steps: Row[], part: string) => steps.filter(({ did }) => did.includes(part))

const tokens = (step: Row | undefined) => step?.access?.balances[0]?.count
