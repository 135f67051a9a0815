import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** How each processor writes the closest language to `de-AT` that its pages have; null: it is not sent that of the call. */
export const AUSTRIAN_GERMAN: Record<ProcessorName, string | null> = {
  stripe: 'de',
  polar: 'de',
  chargebee: null,
  freemius: 'de_DE',
  mollie: 'de_AT',
}

/** A language for all pages: as a paywall file names it, and as the processor writes it. */
export const FIXED_LANGUAGE: Record<ProcessorName, readonly [string, string]> = {
  stripe: ['fr-CA', 'fr-CA'],
  polar: ['fr', 'fr'],
  chargebee: ['fr-CA', 'fr-CA'],
  freemius: ['fr-FR', 'fr_FR'],
  mollie: ['fr-BE', 'fr_BE'],
}
