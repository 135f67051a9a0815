// Checks that the paywall's processor has the options of its hosted pages.
import type * as z from 'zod'
import { CHECKOUT_SWITCHES, type CheckoutOptions } from '../../lib/processors/checkout-options.ts'
import type { ProcessorDefinition, SwitchSupport } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { issueAt } from './checks.ts'

interface PaywallWithOptions {
  processor: { acquiring: ProcessorName }
  settings: { checkout?: CheckoutOptions | undefined }
}

/** Rejects options of `settings.checkout` that the paywall's processor cannot follow. */
export function checkCheckoutOptions({ processor, settings }: PaywallWithOptions, context: z.RefinementCtx): void {
  const { checkout: options } = settings
  if (!options) return
  const definition = DEFINITIONS[processor.acquiring]
  for (const name of CHECKOUT_SWITCHES) {
    const problem = switchProblem(definition.title, definition.checkoutOptions.switches[name], options[name])
    if (problem) issueAt(context, ['settings', 'checkout', name], problem)
  }
  const problem = localeProblem(definition, options.locale)
  if (problem) issueAt(context, ['settings', 'checkout', 'locale'], problem)
}

function switchProblem(title: string, support: SwitchSupport, value: boolean | undefined): string | null {
  if (value === undefined || support === 'per page') return null
  if (support === 'in its settings') return `is set in ${title}'s dashboard for all pages: remove it here`
  if (support === 'always') return value ? null : `${title} always has this: remove it, or set true`
  return value ? `${title} does not support this` : null
}

function localeProblem({ title, checkoutOptions }: ProcessorDefinition, locale: string | undefined): string | null {
  const { locales } = checkoutOptions
  if (locale === undefined || locales.has(locale)) return null
  if (locales.size === 0) return `${title} does not support this`
  return `${title} does not support ${locale}: use one of ${[...locales].join(', ')}`
}
