import * as z from 'zod'
import { isSignature } from '../../crypto/crypto.ts'
import type { AdapterOptions } from '../adapter.ts'
import { modeFromPrefix, type OfferedPrice, type PriceProblem, type ProcessorDefinition } from '../definition.ts'
import type { Notice } from '../event.ts'

/** How many intervals are a year at most, because Mollie waits no longer than that between two charges. */
const MAX_INTERVALS = { day: 365, week: 52, month: 12, year: 1 }

export const MOLLIE: ProcessorDefinition<'apiKey' | 'webhookSecret'> = {
  title: 'Mollie',
  kind: 'regional payment methods',
  credentials: {
    apiKey: { secret: true, where: 'Developers → API keys: `test_…` for a test paywall, `live_…` for a live one' },
    webhookSecret: {
      secret: true,
      optional: true,
      where: 'only for a next-gen webhook: shown once, when that is made',
    },
  },
  detectMode: ({ apiKey }) => modeFromPrefix(apiKey, /^(test|live)_/),
  processorPrice: 'a description of the product',
  // Which of them an owner can sell in depends on the payment methods of the account. Mollie writes all with the decimals of
  // ISO 4217.
  currencies: new Set(
    'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR'.split(
      ' ',
    ),
  ),
  decimals: {},
  priceProblems,
  webhook: {
    events: [
      'payment.paid',
      'payment.authorized',
      'payment.failed',
      'payment.canceled',
      'payment.expired',
      'payment.pending',
      'refund.refunded',
      'refund.failed',
      'refund.canceled',
      'chargeback.received',
      'chargeback.reversed',
    ],
    couldBeSigned: (headers) => readSignatures(headers).some(isSignature),
    readNotice,
  },
  // Mollie names no limit: this is our choice.
  calls: { test: { most: 300, seconds: 60 }, live: { most: 300, seconds: 60 }, perRead: 3 },
  capabilities: {
    portal: false,
    trialLength: 'any',
    cancelledTrial: 'goes on to its end',
    supportsUncancel: false,
    supportsImmediateEnd: false,
    sendsCancellationWebhook: false,
    keepsReason: 'not at all',
    expiresPages: false,
    pagesSellOnce: true,
    idempotencyKeys: true,
    sellsToAnonymous: true,
    readsIncludePayments: true,
    sendsDisputeWebhook: true,
    refundsWhatIsDisputed: true,
    webhooksProve: 'the sender and the body',
    returnsTo: 'an address of the page',
  },
}

/** The field of a webhook's address that names our sale. */
const SALE = 'checkout'

/**
 * Where Mollie sends its classic webhooks of a sale: an address that each payment and subscription has. Null: nowhere, since Mollie
 * refuses an address that it cannot reach.
 */
export function noticeAddress({ base, webhookUrl }: Pick<AdapterOptions, 'base' | 'webhookUrl'>, checkoutId: string) {
  if (!webhookUrl) return null
  const address = new URL(webhookUrl)
  const isLocal = address.hostname === 'localhost' || address.hostname === '127.0.0.1'
  if (isLocal && base === null) return null
  address.searchParams.set(SALE, checkoutId)
  return address.href
}

/** A classic webhook: a form with the id of a payment, the same whatever happened to it, that nobody has signed. */
function readNotice({ address, headers, rawBody }: { address: URL; headers: Headers; rawBody: string }): Notice | null {
  if (!headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')) return null
  const notice = ClassicWebhook.safeParse({
    checkoutId: address.searchParams.get(SALE),
    pageId: new URLSearchParams(rawBody).get('id'),
  })
  return notice.data ?? null
}

const ClassicWebhook = z.object({ checkoutId: z.uuid(), pageId: z.string().regex(/^tr_\w{1,60}$/) })

/** The signatures of a webhook. While a secret is replaced, Mollie signs with the old one and the new one. */
export const readSignatures = (headers: Headers): string[] =>
  (headers.get('x-mollie-signature') ?? '').split(',').map((each) => each.trim().replace(/^sha256=/, ''))

function priceProblems({ interval, intervalCount, variants }: OfferedPrice): PriceProblem[] {
  const problems: PriceProblem[] = []
  if (interval && intervalCount > MAX_INTERVALS[interval]) {
    const message = `Mollie charges once a year at least: ${MAX_INTERVALS[interval]} with ${interval}`
    problems.push({ local: null, field: 'interval_count', message })
  }
  for (const { local, amount } of variants) {
    const message = 'Mollie charges nothing less than the smallest coin'
    if (amount === 0) problems.push({ local, field: 'amount', message })
  }
  return problems
}
