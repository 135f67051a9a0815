import { randomBytes } from 'node:crypto'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { driverOf } from '../conformance/drivers/drivers.ts'
import { monthly, paywallFile, type Written, yearly } from '../support/paywall-file.ts'
import type { PartialHistory, PartialLife } from './parts.ts'

/** The owner of a history: each of its lives has a paywall, with an account of its own at its processor. */
export function fileOf(
  { lives }: PartialHistory,
  idOf: (life: PartialLife) => string,
  hooks: string,
): Promise<PaywallFile> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  return paywallFile({
    webhooks: [{ url: hooks, secret, events: ['*', 'balance.changed'] }],
    paywalls: lives.map((life) => ({ id: idOf(life), ...soldBy(life) })),
  })
}

/** 9.99 USD a month, 89 USD a year after a trial of 7 days, 49 USD once. */
function soldBy({ processor: acquiring }: PartialLife): Written {
  const { prices } = driverOf(acquiring)
  return {
    // No type has a daily limit: whether a top-up is due would depend on the time of day.
    settings: { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] },
    processor: { acquiring, credentials: EMULATORS[acquiring].demoCredentials() },
    prices: [
      monthly({ processorPrice: prices.monthly, locals: [] }),
      yearly({ processorPrice: prices.yearly, tokens: [{ type: 'standard', count: 100 }] }),
      monthly({ slug: 'lifetime', amount: 49, interval: undefined, processorPrice: prices.lifetime, locals: [] }),
    ],
  }
}
