import { randomBytes } from 'node:crypto'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { mollieProcessor } from '../support/mollie-purchase.ts'
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
    paywalls: lives.map((life) => ({
      id: idOf(life),
      // No type has a daily limit: whether a top-up is due would depend on the time of day.
      settings: { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] },
      prices: [monthly({ locals: [] }), yearly({ tokens: [{ type: 'standard', count: 100 }] }), lifetime()],
      ...(life.processor === 'mollie' && { processor: mollieProcessor() }),
    })),
  })
}

/** 49 USD once. */
const lifetime = (): Written =>
  monthly({ slug: 'lifetime', amount: 49, interval: undefined, processorPrice: 'price_lifetime', locals: [] })
