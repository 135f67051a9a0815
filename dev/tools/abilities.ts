import { ACQUIRING, type Acquiring } from '../../lib/processors/acquiring.ts'
import type { Abilities, ProcessorDefinition } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'

/** More currencies than these are counted, and not named. */
const MOST_NAMED = 5

/** What each ability is, in words. A processor with a new one cannot be without a row. */
const ABILITIES: Record<keyof Abilities, string> = {
  portal: 'Has a hosted portal for customers',
  trialLength: 'How long a trial may be',
  cancelledTrial: 'A trial that is cancelled',
  undoesCancellation: 'A cancellation can be taken back there',
  endsAtOnce: 'A subscription can be ended there before its period is over',
  tellsOfCancellations: 'Sends a webhook of a cancellation',
  keepsReason: 'How it is told the reason of a cancellation',
  closesPages: 'An open hosted page can be closed from here',
  idempotencyKeys: 'A call that is repeated under the same idempotency key has no second effect',
  sellsToAnonymous: 'Sells to buyers of whom no e-mail address is known here',
  showsPayments: 'Shows payments whose webhook is lost',
  tellsOfDisputes: 'Tells of chargebacks',
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

/** `docs/processors/abilities.md`: what the definitions of all processors say. */
export function abilitiesPage(): string {
  const abilities = Object.entries(ABILITIES).map(([ability, words]) =>
    row(words, ({ abilities }) => saying(abilities[ability as keyof Abilities])),
  )
  return [
    ...HEAD,
    `| | ${ACQUIRING.map((acquiring) => `[${DEFINITIONS[acquiring].title}](${acquiring}.md)`).join(' | ')} |`,
    `| --- |${' --- |'.repeat(ACQUIRING.length)}`,
    row('What it is', ({ kind }) => kind),
    row('`processorPrice` in the paywall file', ({ processorPrice }) => processorPrice),
    ...abilities,
    row('Currencies', ({ currencies }) =>
      currencies.size > MOST_NAMED ? String(currencies.size) : [...currencies].join(', '),
    ),
    row('Decimals that it charges at most, of currencies that have more', decimalsOf),
    row('Events to subscribe to', ({ webhook }) => String(webhook.events.length)),
    ...['', '## Credentials', '', '| | in `processor.credentials` | secret | where an owner finds it |'],
    '| --- | --- | --- | --- |',
    ...ACQUIRING.flatMap(credentialRows),
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

const row = (words: string, cell: (definition: ProcessorDefinition) => string) =>
  `| ${words} | ${ACQUIRING.map((acquiring) => cell(DEFINITIONS[acquiring])).join(' | ')} |`

const saying = (value: Abilities[keyof Abilities]) => VALUES[String(value)] ?? String(value)

function decimalsOf({ decimals }: ProcessorDefinition): string {
  const codes = Object.groupBy(Object.keys(decimals), (code) => String(decimals[code]))
  const groups = Object.entries(codes).map(([count, group = []]) => `${count}: ${group.join(', ')}`)
  return groups.join('; ') || 'those of ISO 4217'
}

function credentialRows(acquiring: Acquiring): string[] {
  const { title, credentials } = DEFINITIONS[acquiring]
  return Object.entries(credentials).map(
    ([field, { secret, where }]) => `| ${title} | \`${field}\` | ${secret ? 'yes' : 'no'} | ${where} |`,
  )
}
