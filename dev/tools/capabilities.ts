import type { Capabilities, ProcessorDefinition } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'

/** More currencies than these are counted, and not named. */
const MOST_NAMED = 5

/** What each capability is. A processor with a new one cannot be without a row. */
const CAPABILITIES: Record<keyof Capabilities, string> = {
  portal: 'Has a hosted portal for customers',
  trialLength: 'How long a trial may be',
  cancelledTrial: 'A trial that is cancelled',
  supportsUncancel: 'A cancellation can be taken back there',
  supportsImmediateEnd: 'A subscription can be ended there before its period is over',
  sendsCancellationWebhook: 'Sends a webhook of a cancellation',
  keepsReason: 'How it is told the reason of a cancellation',
  expiresPages: 'An open hosted page can be closed from here',
  pagesSellOnce: 'A hosted page can be paid once only',
  idempotencyKeys: 'A call that is repeated under the same idempotency key has no second effect',
  sellsToAnonymous: 'Sells to buyers of whom no e-mail address is known here',
  readsIncludePayments: 'Shows payments whose webhook is lost',
  sendsDisputeWebhook: 'Tells of chargebacks',
  refundsWhatIsDisputed: 'A chargeback gives the money back before it is decided',
  webhooksProve: "What a webhook's headers prove",
  returnsTo: 'Where the browser returns to',
}

const VALUES: Readonly<Record<string, string>> = {
  true: 'yes',
  false: '**no**',
  any: 'any number of days',
  'of the product': 'as long as the product has it there',
}

/** `docs/processors/capabilities.md`: what the definitions of all processors say. */
export function capabilitiesPage(): string {
  const capabilities = Object.entries(CAPABILITIES).map(([capability, label]) =>
    row(label, ({ capabilities }) => describeValue(capabilities[capability as keyof Capabilities])),
  )
  return [
    ...HEAD,
    `| | ${PROCESSOR_NAMES.map((acquiring) => `[${DEFINITIONS[acquiring].title}](${acquiring}.md)`).join(' | ')} |`,
    `| --- |${' --- |'.repeat(PROCESSOR_NAMES.length)}`,
    row('What it is', ({ kind }) => kind),
    row('`processorPrice` in the paywall file', ({ processorPrice }) => processorPrice),
    ...capabilities,
    row('Currencies', ({ currencies }) =>
      currencies.size > MOST_NAMED ? String(currencies.size) : [...currencies].join(', '),
    ),
    row('Decimals that it charges at most, of currencies that have more', describeDecimals),
    row('Events to subscribe to', ({ webhook }) => String(webhook.events.length)),
    ...['', '## Credentials', '', '| | in `processor.credentials` | secret | where an owner finds it |'],
    '| --- | --- | --- | --- |',
    ...PROCESSOR_NAMES.flatMap(credentialRows),
    '',
  ].join('\n')
}

const HEAD = [
  '# What each processor can and cannot do',
  '',
  'Made by `npm run generate` of the definitions in `lib/processors/<name>/definition.ts`. The page of each processor says the rest: what to',
  'set up in its dashboard, what follows for owners and buyers, and what was never tried against it.',
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
