import { expect, test } from 'vitest'
import { UPGRADE } from '../../dev/world/scenario/scenarios/upgrade.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { chargesByMonth, eventsByMonth, playAndDeliver, useStages } from './stages.ts'

const getStage = useStages()

const BOUGHT = ['checkout.completed', 'payment.succeeded 89.00 USD', 'subscription.created']
const RENEWED = ['payment.succeeded 89.00 USD', 'subscription.renewed']
const TEN_MONTHS = Array<string[]>(10).fill([])

test.each(PROCESSOR_NAMES)(
  '%s: a replaced subscription is never charged again, and only one of two upgrades continues',
  async (acquiring) => {
    const { steps, months } = await playAndDeliver(getStage(acquiring), UPGRADE)
    // If open pages can be closed, only the second of the two pages can be paid.
    const paid = DEFINITIONS[acquiring].capabilities.expiresPages ? 1 : 2
    const perUpgrade = <Item>(items: Item[]) => Array.from({ length: paid }, () => items).flat()
    const [first, second, ...later] = chargesByMonth(months)
    expect(first).toEqual(['9.99 USD', '89.00 USD'])
    expect(second).toEqual(perUpgrade(['89.00 USD']))
    expect(later).toEqual([...TEN_MONTHS, [], ['89.00 USD'], []])

    expect(eventsByMonth(months)).toEqual([
      [
        'checkout.completed',
        'subscription.created',
        'subscription.trial_ending',
        'payment.succeeded 9.99 USD',
        'subscription.renewed',
        ...BOUGHT,
        'subscription.cancel_scheduled',
      ].toSorted(),
      ['subscription.ended', ...perUpgrade([...BOUGHT, 'subscription.cancel_scheduled'])].toSorted(),
      ...TEN_MONTHS,
      ['subscription.ended'],
      [...RENEWED, ...perUpgrade(['subscription.ended']).slice(1)].toSorted(),
      [],
    ])
    const running = steps.at(-1)?.access?.purchases.filter(({ status }) => status !== 'canceled')
    expect(running).toMatchObject([{ status: 'active', price_slug: 'yearly', cancel_at: null }])
  },
  60_000,
)
