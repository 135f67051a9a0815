import type { CheckoutSwitch } from '../../lib/processors/checkout-options.ts'
import type { Capabilities, ProcessorDefinition, SwitchSupport } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'

/** Longer lists of currencies are shown as a count. */
const MOST_NAMED = 5

/** The label of each capability. The type requires one for every capability. */
const CAPABILITIES: Record<keyof Capabilities, string> = {
  portal: 'Has a hosted portal for customers',
  chargedAmount: 'The amount that it charges',
  trialLength: 'How long a trial may be',
  cancelledTrial: 'After a trial is cancelled',
  supportsUncancel: 'A cancellation can be undone there',
  supportsImmediateEnd: 'A subscription can be ended there before its period ends',
  sendsCancellationWebhook: 'Sends a webhook for a cancellation',
  changesPlan: 'The plan of a subscription can be changed through `change-plan`',
  schedulesPlanChange: 'Such a change can wait for the end of the period',
  refunds: 'A payment can be refunded through the API',
  cancellationReason: 'How it receives the reason for a cancellation',
  expiresPages: 'Open hosted pages can be closed through the API',
  pagesSellOnce: 'A hosted page can be paid only once',
  idempotencyKeys: 'Supports idempotency keys: a repeated call has no second effect',
  sellsUnits: 'Sells several units of a price: `per_unit`',
  sellsToAnonymous: 'Sells to buyers without a known e-mail address',
  readsIncludePayments: 'Payments whose webhooks are lost can be read through the API',
  reportsTax: 'Reports the tax in a payment',
  reportsDiscount: 'Reports what was taken off before a payment',
  reportsReceipt: 'Reports the address of the receipt with a payment',
  receipts: 'The receipt of each payment, linked in the account',
  sendsDisputeWebhook: 'Sends a webhook for a chargeback',
  refundsWhenDisputed: 'A chargeback returns the money before it is decided',
  webhookAuthenticates: "What a webhook's headers prove",
  returnUrl: 'Where the browser returns to',
}

/** The label of each option of `settings.checkout`. */
const CHECKOUT_OPTIONS: Record<CheckoutSwitch, string> = {
  automatic_tax: 'Taxes are added to the price',
  tax_ids: 'Businesses can enter a tax id',
  promotion_codes: 'Buyers can enter promotion codes',
  invoices: 'One-time purchases get an invoice',
  trial_without_card: 'A trial needs no payment method',
  terms: 'Buyers must accept the terms of service of the owner',
  adaptive_pricing: "The price is charged in the buyer's own currency, at the processor's rate",
}

const VALUES: Readonly<Record<string, string>> = {
  true: 'yes',
  false: '**no**',
  always: 'yes',
  never: '**no**',
  none: '**no**',
  any: 'any number of days',
  'of the product': 'as set on the product there',
}

const SWITCHES: Record<SwitchSupport, string> = {
  'per page': 'as set',
  always: 'always',
  never: '**no**',
  'in its settings': 'as set there',
}

/** Generates `docs/processors/capabilities.md` from the definitions of all processors. */
export function capabilitiesPage(): string {
  const capabilities = Object.entries(CAPABILITIES).map(([capability, label]) =>
    row(label, ({ capabilities }) => describeValue(capabilities[capability as keyof Capabilities])),
  )
  const switches = Object.entries(CHECKOUT_OPTIONS).map(([option, label]) =>
    row(
      `${label}: \`checkout.${option}\``,
      ({ checkoutOptions }) => SWITCHES[checkoutOptions.switches[option as CheckoutSwitch]],
    ),
  )
  return [
    ...HEAD,
    `| | ${PROCESSOR_NAMES.map((acquiring) => `[${DEFINITIONS[acquiring].title}](${acquiring}.md)`).join(' | ')} |`,
    `| --- |${' --- |'.repeat(PROCESSOR_NAMES.length)}`,
    row('What it is', ({ kind }) => kind),
    row('`processorPrice` in the paywall file', ({ processorPrice }) => processorPrice),
    ...capabilities,
    ...switches,
    row('The language of its page: `checkout.locale`', ({ checkoutOptions: { locales } }) =>
      locales.size === 0 ? SWITCHES.never : `as set: one of ${locales.size}`,
    ),
    row('Its page follows the `locale` of a call', ({ checkoutOptions: { usesBuyerLocale } }) =>
      describeValue(usesBuyerLocale),
    ),
    row('A `discount` of an offer: `processorDiscount`', ({ discounts }) =>
      discounts ? (discounts.processorDiscount ?? 'as an amount') : SWITCHES.never,
    ),
    row('A discount for a number of periods after a trial', ({ discounts }) =>
      describeValue(discounts?.trialProblem === null),
    ),
    row('Currencies', ({ currencies }) =>
      currencies.size > MOST_NAMED ? String(currencies.size) : [...currencies].join(', '),
    ),
    row('Maximum decimals, for currencies that have more', describeDecimals),
    row('Events to subscribe to', ({ webhook }) => String(webhook.events.length)),
    '',
    '## Credentials',
    '',
    '| | in `processor.credentials` | secret | where to find it |',
    '| --- | --- | --- | --- |',
    ...PROCESSOR_NAMES.flatMap(credentialRows),
    '',
  ].join('\n')
}

const HEAD = [
  '# What each processor can and cannot do',
  '',
  'Generated by `npm run generate` from the definitions in `lib/processors/<name>/definition.ts`. Each processor has a page with the rest: what',
  'to set up in its dashboard, what to expect as an owner or a buyer, and what was never tested against it.',
  '',
]

const row = (label: string, cell: (definition: ProcessorDefinition) => string) =>
  `| ${label} | ${PROCESSOR_NAMES.map((acquiring) => cell(DEFINITIONS[acquiring])).join(' | ')} |`

const describeValue = (value: Capabilities[keyof Capabilities]) => VALUES[String(value)] ?? String(value)

function describeDecimals({ decimals }: ProcessorDefinition): string {
  const codes = Object.groupBy(Object.keys(decimals), (code) => String(decimals[code]))
  const groups = Object.entries(codes).map(([count, group = []]) => `${count}: ${group.join(', ')}`)
  return groups.join('; ') || 'those of ISO 4217'
}

function credentialRows(acquiring: ProcessorName): string[] {
  const { title, credentials } = DEFINITIONS[acquiring]
  return Object.entries(credentials).map(
    ([field, { secret, where }]) => `| ${title} | \`${field}\` | ${secret ? 'yes' : 'no'} | ${where} |`,
  )
}
