import { describe, expect, test } from 'vitest'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { readErrors, sampleFileText } from '../support/sample-paywall-file.ts'

/** The errors of a file without prices that has these options. */
function readOptionErrors(acquiring: ProcessorName, checkout: unknown): Promise<string[]> {
  const text = sampleFileText({
    'paywalls[0].settings.checkout': checkout,
    'paywalls[0].processor': { acquiring, credentials: EMULATORS[acquiring].demoCredentials() },
    'paywalls[0].prices': [],
  })
  return readErrors(text)
}

const SWITCHES = ['automatic_tax', 'tax_ids', 'promotion_codes', 'invoices', 'trial_without_card', 'terms']
const ALL = [...SWITCHES, 'adaptive_pricing']

/** Errors with their paths, from `option: message`. */
const at = (...lines: string[]) => lines.map((line) => `paywalls[0].settings.checkout.${line}`)

describe('an option that the processor lacks is refused with its path and the name of the processor', () => {
  test.each<[ProcessorName, on: string[], off: string[]]>([
    ['stripe', [], []],
    [
      'polar',
      ['trial_without_card', 'terms', 'adaptive_pricing'].map((option) => `${option}: Polar does not support this`),
      ['automatic_tax', 'tax_ids', 'invoices'].map(
        (option) => `${option}: Polar always has this: remove it, or set true`,
      ),
    ],
    [
      'chargebee',
      [
        ...['automatic_tax', 'tax_ids', 'promotion_codes', 'trial_without_card', 'terms'].map(
          (option) => `${option}: is set in Chargebee's dashboard for all pages: remove it here`,
        ),
        'adaptive_pricing: Chargebee does not support this',
      ],
      [
        ...['automatic_tax', 'tax_ids', 'promotion_codes'].map(
          (option) => `${option}: is set in Chargebee's dashboard for all pages: remove it here`,
        ),
        'invoices: Chargebee always has this: remove it, or set true',
        ...['trial_without_card', 'terms'].map(
          (option) => `${option}: is set in Chargebee's dashboard for all pages: remove it here`,
        ),
      ],
    ],
    [
      'freemius',
      ['trial_without_card', 'terms', 'adaptive_pricing'].map((option) => `${option}: Freemius does not support this`),
      ['automatic_tax', 'tax_ids', 'invoices'].map(
        (option) => `${option}: Freemius always has this: remove it, or set true`,
      ),
    ],
    ['mollie', ALL.map((option) => `${option}: Mollie does not support this`), []],
  ])('%s', async (acquiring, on, off) => {
    const all = (value: boolean) => Object.fromEntries(ALL.map((option) => [option, value]))
    expect(await readOptionErrors(acquiring, all(true))).toEqual(at(...on))
    expect(await readOptionErrors(acquiring, all(false))).toEqual(at(...off))
  })
})

test.each<[ProcessorName, locale: string, problem: string | RegExp]>([
  ['stripe', 'xx', /^Stripe does not support xx: use one of bg, cs, da, de, /],
  ['polar', 'xx', /^Polar does not support xx: use one of de, en, /],
  ['mollie', 'de', /^Mollie does not support de: use one of .*de-DE/],
  ['chargebee', 'xx', /^Chargebee does not support xx: use one of de, de-AT, /],
  ['freemius', 'es-ES', /^Freemius does not support es-ES: use one of en-US, de-DE, fr-FR$/],
])('%s: a page in %s is refused', async (acquiring, locale, problem) => {
  const [error, ...others] = await readOptionErrors(acquiring, { locale })
  expect(others).toEqual([])
  expect(error?.replace('paywalls[0].settings.checkout.locale: ', '')).toMatch(problem)
})

test.each<[ProcessorName, locale: string]>([
  ['stripe', 'pt-BR'],
  ['polar', 'pt-PT'],
  ['mollie', 'de-DE'],
  ['chargebee', 'de'],
  ['freemius', 'de-DE'],
])('%s: a page can be in %s', async (acquiring, locale) => {
  expect(await readOptionErrors(acquiring, { locale })).toEqual([])
})

test('a misspelt option and a wrong type are refused', async () => {
  expect(await readOptionErrors('stripe', { promotion_code: true, terms: 'yes' })).toEqual(
    at('terms: expected boolean, received string', 'promotion_code: unknown field: did you mean promotion_codes?'),
  )
})
