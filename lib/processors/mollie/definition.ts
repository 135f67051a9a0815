import { isSignature } from '../../crypto/crypto.ts'
import { modeNamedBy, type OfferedPrice, type PriceProblem, type ProcessorDefinition } from '../definition.ts'

/** How many intervals are a year at most, because Mollie waits no longer than that between two charges. */
const MAX_INTERVALS = { day: 365, week: 52, month: 12, year: 1 }

export const MOLLIE: ProcessorDefinition<'apiKey' | 'webhookSecret'> = {
  title: 'Mollie',
  kind: 'regional payment methods',
  credentials: {
    apiKey: { secret: true, where: 'Developers → API keys: `test_…` for a test paywall, `live_…` for a live one' },
    webhookSecret: { secret: true, where: 'shown once, when the webhook is made' },
  },
  modeOf: ({ apiKey }) => modeNamedBy(apiKey, /^(test|live)_/),
  processorPrice: 'a description of the product',
  // Which of them an owner can sell in depends on the payment methods of the account. Mollie writes all with the decimals of
  // ISO 4217.
  currencies: new Set(
    'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR'.split(
      ' ',
    ),
  ),
  decimals: {},
  problemsOf,
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
    couldBeSigned: (headers) => signaturesOf(headers).some(isSignature),
  },
  abilities: {
    portal: false,
    trialLength: 'any',
    cancelledTrial: 'goes on to its end',
    undoesCancellation: false,
    endsAtOnce: false,
    tellsOfCancellations: false,
    keepsReason: 'not at all',
    closesPages: false,
    idempotencyKeys: true,
    sellsToAnonymous: true,
    tellsOfDisputes: true,
    refundsWhatIsDisputed: true,
    webhooksProve: 'the sender and the body',
    returnsTo: 'an address of the page',
  },
}

/** The signatures of a webhook. While a secret is replaced, Mollie signs with the old one and the new one. */
export const signaturesOf = (headers: Headers): string[] =>
  (headers.get('x-mollie-signature') ?? '').split(',').map((each) => each.trim().replace(/^sha256=/, ''))

function problemsOf({ interval, intervalCount, variants }: OfferedPrice): PriceProblem[] {
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
