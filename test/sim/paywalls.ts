import { randomBytes } from 'node:crypto'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { Discount } from '../../lib/processors/discount.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { getDriver } from '../conformance/drivers/drivers.ts'
import { TEAM_CENTS } from '../conformance/drivers/plans.ts'
import { taxSettings } from '../conformance/drivers/set-up.ts'
import { type FileJson, monthly, paywallFile, yearly } from '../support/paywall-file.ts'
import type { PartialHistory, PartialLife } from './parts.ts'
import type { Slug } from './step.ts'

/** The daily limit of the token type that no price credits. */
export const DAILY_LIMIT = 5

/** The standard tokens that a price credits for each paid period, by the length of the period. */
export const TOKENS_A_PERIOD = { month: 100, year: 250, once: 100 }

/** What the offer of each price takes off, and how many uses it has. Its id is the price's slug. */
const OFFERS: Record<Slug, { discount: Discount; max: number }> = {
  monthly: { discount: { percent: 50, periods: 1 }, max: 2 },
  yearly: { discount: { percent: 20, periods: 'forever' }, max: 2 },
  lifetime: { discount: { amount: 20, currency: 'USD' }, max: 1 },
}

/** One processor names its discounts by UUIDs. */
const toDiscountId = (index: number) => `7c1f0f5e-2c55-4f0e-9a4e-2f6f0b7a900${index}`

/** The paywall file of an owner, which has to be read again after each edit of a price. */
export interface EditableFile {
  read(): Promise<PaywallFile>
  /** Changes the monthly price of a paywall from 9.99 USD to 10.99 USD, or back. */
  edit(paywallId: string): void
}

/** The ids of a life's paywalls. The second is unused if the life has only one. */
export type Ids = readonly [string, string]

/** The owner's webhook endpoint for live paywalls, which must be a public https address: see `holdLiveEvents`. */
const LIVE_HOOKS = 'https://owner.example/live'

/** Creates the paywall file for the owner of a history, with an owner key and a webhook endpoint for each mode. */
export function getFile(
  { lives }: PartialHistory,
  getIds: (life: PartialLife) => Ids,
  testHooks: string,
): EditableFile {
  const environment: Record<string, string> = {}
  const secretly = (name: string, secret: string) => {
    environment[name] = secret
    return `env:${name}`
  }
  const webhook = (mode: 'test' | 'live') => ({
    url: mode === 'test' ? testHooks : LIVE_HOOKS,
    test: mode === 'test',
    events: ['*', 'balance.changed'],
    secret: secretly(`${mode} webhooks`, `whsec_${randomBytes(32).toString('base64')}`),
  })
  const key = (mode: 'test' | 'live') => ({
    name: mode,
    secret: secretly(`${mode} key`, `pk_${mode}_${randomBytes(32).toString('hex')}`),
  })
  const overrides = {
    owner: { email: `owner-${randomBytes(6).toString('hex')}@example.com` },
    keys: [key('test'), key('live')],
    webhooks: [webhook('test'), webhook('live')],
    environment,
  }
  const paywalls = lives.flatMap((life) => {
    const [id, other] = getIds(life)
    const written = soldBy(life)
    const paywall = { id, amount: 9.99, written }
    if (life.paywalls === 'one') return [paywall]
    if (life.paywalls === 'two of an account') return [paywall, { ...paywall, id: other }]
    const processor = liveAccount(life, (field, secret) => secretly(`${field} of ${other}`, secret))
    return [paywall, { ...paywall, id: other, written: { ...written, test: false, processor } }]
  })
  return {
    read: () =>
      paywallFile({
        ...overrides,
        paywalls: paywalls.map(({ id, amount, written: { prices, ...fields } }) => ({
          id,
          ...fields,
          prices: prices.map((price) => (price.slug === 'monthly' ? { ...price, amount } : price)),
        })),
      }),
    edit(paywallId) {
      const edited = paywalls.find(({ id }) => id === paywallId)!
      edited.amount = edited.amount === 9.99 ? 10.99 : 9.99
    },
  }
}

/** A live account. The credentials that the emulators generate are for test mode, where they name a mode. */
function liveAccount({ processor: acquiring }: PartialLife, secretly: (field: string, secret: string) => string) {
  const fields: Record<string, { secret: boolean }> = DEFINITIONS[acquiring].credentials
  const credentials = Object.entries(EMULATORS[acquiring].demoCredentials()).map(([field, value]) => {
    const live = value.replace('test', 'live')
    return [field, fields[field]?.secret ? secretly(field, live) : live] as const
  })
  return { acquiring, credentials: Object.fromEntries(credentials) }
}

/** 9.99 USD a month, or 8.99 EUR in Germany, for each unit where a processor sells units; 89 USD a year after a trial of 7 days; 49 USD once. */
function soldBy({ processor: acquiring }: PartialLife): FileJson & { prices: FileJson[] } {
  const { prices } = getDriver(acquiring)
  const { sellsUnits } = DEFINITIONS[acquiring].capabilities
  const standard = (count: number) => ({ tokens: [{ type: 'standard', count }] })
  const inGermany = { countries: ['DE'], currency: 'EUR', amount: 8.99, processorPrice: prices.local }
  return {
    settings: {
      tokenization_queries: [{ type: 'standard' }, { type: 'premium' }, { type: 'daily', daily_limit: DAILY_LIMIT }],
      ...taxSettings(acquiring),
    },
    processor: { acquiring, credentials: EMULATORS[acquiring].demoCredentials() },
    prices: [
      monthly({
        processorPrice: prices.monthly,
        locals: [inGermany],
        per_unit: sellsUnits,
        features: ['export'],
        ...standard(TOKENS_A_PERIOD.month),
      }),
      yearly({ processorPrice: prices.yearly, features: ['export', 'api'], ...standard(TOKENS_A_PERIOD.year) }),
      {
        slug: 'lifetime',
        label: 'For ever',
        currency: 'USD',
        amount: 49,
        processorPrice: prices.lifetime,
        access: true,
        features: ['archive'],
        ...standard(TOKENS_A_PERIOD.once),
      },
    ],
    offers: offersAt(acquiring),
  }
}

function offersAt(acquiring: ProcessorName): FileJson[] {
  const isNamed = DEFINITIONS[acquiring].discounts?.processorDiscount !== null
  return Object.entries(OFFERS).map(([slug, { discount, max }], index) => ({
    id: slug,
    title: slug,
    discount,
    prices: [slug],
    code: `less-for-${slug}`,
    max,
    ...(isNamed && { processorDiscount: toDiscountId(index) }),
  }))
}

/** Whether a price is `team`, which is not in the paywall file. Its amount is that of no other price. */
export const isUnmatched = (unitAmount: number) => unitAmount === TEAM_CENTS

/** The features of each price. Edits do not change them. */
export const FEATURES: Record<string, string[]> = {
  monthly: ['export'],
  yearly: ['export', 'api'],
  lifetime: ['archive'],
}
