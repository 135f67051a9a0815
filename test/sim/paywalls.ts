import { randomBytes } from 'node:crypto'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { driverOf } from '../conformance/drivers/drivers.ts'
import { monthly, paywallFile, type Written, yearly } from '../support/paywall-file.ts'
import type { PartialHistory, PartialLife } from './parts.ts'

/** The daily limit of the tokens that nothing sold brings. */
export const DAILY_LIMIT = 5

/** What the prices of a file credit for each paid period. */
export const TOKENS_A_PERIOD = 100

/** The file of an owner, which is read anew after each edit of a price. */
export interface EditableFile {
  read(): Promise<PaywallFile>
  /** The monthly price of a paywall is another one from now on: 9.99 USD, or 10.99 USD. */
  edit(paywallId: string): void
}

/** The owner of a history: each of its lives has an account of its own at its processor, and a paywall or two that sell through it. */
export function fileOf({ lives }: PartialHistory, idsOf: (life: PartialLife) => string[], hooks: string): EditableFile {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const overrides = {
    owner: { email: `owner-${randomBytes(6).toString('hex')}@example.com` },
    keys: [{ name: 'backend', secret: `pk_test_${randomBytes(32).toString('hex')}` }],
    webhooks: [{ url: hooks, secret, events: ['*', 'balance.changed'] }],
  }
  const paywalls = lives.flatMap((life) => {
    const written = soldBy(life)
    return idsOf(life).map((id) => ({ id, amount: 9.99, written }))
  })
  return {
    read: () =>
      paywallFile({
        ...overrides,
        paywalls: paywalls.map(({ id, amount, written: { prices, ...fields } }) => ({
          ...{ id, ...fields },
          prices: prices.map((price) => (price.slug === 'monthly' ? { ...price, amount } : price)),
        })),
      }),
    edit(paywallId) {
      const edited = paywalls.find(({ id }) => id === paywallId)!
      edited.amount = edited.amount === 9.99 ? 10.99 : 9.99
    },
  }
}

/** 9.99 USD a month, or 8.99 EUR in Germany; 89 USD a year after a trial of 7 days; 49 USD once. */
function soldBy({ processor: acquiring }: PartialLife): Written & { prices: Written[] } {
  const { prices } = driverOf(acquiring)
  const tokens = [{ type: 'standard', count: TOKENS_A_PERIOD }]
  const inGermany = { countries: ['DE'], currency: 'EUR', amount: 8.99, processorPrice: prices.local }
  return {
    settings: {
      tokenization_queries: [{ type: 'standard' }, { type: 'premium' }, { type: 'daily', daily_limit: DAILY_LIMIT }],
    },
    processor: { acquiring, credentials: EMULATORS[acquiring].demoCredentials() },
    prices: [
      monthly({ processorPrice: prices.monthly, locals: [inGermany], features: ['export'] }),
      yearly({ processorPrice: prices.yearly, tokens, features: ['export', 'api'] }),
      {
        ...{ slug: 'lifetime', label: 'For ever', currency: 'USD', amount: 49, processorPrice: prices.lifetime },
        ...{ tokens, access: true, features: ['archive'] },
      },
    ],
  }
}

/** The features of a price, which no edit changes. */
export const FEATURES: Record<string, string[]> = {
  monthly: ['export'],
  yearly: ['export', 'api'],
  lifetime: ['archive'],
}
