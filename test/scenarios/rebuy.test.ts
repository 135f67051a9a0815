import { expect, test } from 'vitest'
import { REBUY } from '../../dev/world/scenario/scenarios/rebuy.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { chargesByMonth, eventsByMonth, playAndDeliver, stepTexts, useStages } from './stages.ts'

const getStage = useStages()

/** How often a charge fails on the processor's own schedule until the card works again. */
const FAILURES: Record<ProcessorName, number> = { stripe: 6, polar: 3, chargebee: 3, freemius: 3, mollie: 1 }

const PAID = 'payment.succeeded 9.99 USD'
const RENEWED = [PAID, 'subscription.renewed']
const RECOVERED = [PAID, 'subscription.recovered', 'subscription.renewed']

test.each(PROCESSOR_NAMES)(
  '%s: a past due buyer without access cannot buy a second subscription, and is charged once a month',
  async (acquiring) => {
    const { steps, months } = await playAndDeliver(getStage(acquiring), REBUY)
    // Mollie charges again only for the next period: the failed month is never paid.
    const isLate = acquiring === 'mollie'
    const once = ['9.99 USD']
    expect(chargesByMonth(months)).toEqual([once, isLate ? [] : once, once, once, once])

    const failures = Array.from({ length: FAILURES[acquiring] }, () => 'payment.failed 9.99 USD')
    const failed = [...failures, 'subscription.access_ended', 'subscription.past_due']
    expect(eventsByMonth(months)).toEqual([
      ['checkout.completed', 'subscription.created', 'subscription.trial_ending', ...RENEWED].toSorted(),
      [...failed, ...(isLate ? [] : RECOVERED)].toSorted(),
      isLate ? RECOVERED : RENEWED,
      [...RENEWED, 'subscription.cancel_scheduled'].toSorted(),
      ['checkout.completed', 'subscription.created', 'subscription.ended', PAID].toSorted(),
    ])

    const texts = stepTexts(steps)
    const refused = texts.find(({ did }) => did.startsWith('Ann buys monthly: refused'))
    expect(refused).toMatchObject({
      did: 'Ann buys monthly: refused, 409 active_purchase: monthly is past_due',
      access: { paid: false, features: [], purchases: [{ status: 'past_due' }] },
    })
    const hasPortal = DEFINITIONS[acquiring].capabilities.portal
    const opensPortal = hasPortal ? 'Ann opens the portal' : 'Ann opens the portal: refused, 403 portal_unavailable'
    expect(texts.map(({ did }) => did)).toContain(opensPortal)
    expect(texts.at(-1)?.access).toMatchObject({
      paid: true,
      purchases: [{ status: 'active' }, { status: 'canceled' }],
    })
  },
)
