import type { Adapter, AdapterOptions } from './adapter.ts'
import { CHARGEBEE } from './chargebee/definition.ts'
import { parseCredentials } from './credentials.ts'
import { FREEMIUS } from './freemius/definition.ts'
import { MOLLIE } from './mollie/definition.ts'
import { POLAR } from './polar/definition.ts'
import type { ProcessorName } from './processor-name.ts'
import { STRIPE } from './stripe/definition.ts'

/** Creates the adapter of an account. Its code is loaded on first use. */
export const ADAPTERS: Readonly<
  Record<ProcessorName, (credentials: unknown, options: AdapterOptions) => Promise<Adapter>>
> = {
  stripe: async (credentials, options) =>
    (await import('./stripe/adapter.ts')).stripeAdapter(parseCredentials(STRIPE, credentials), options),
  polar: async (credentials, options) =>
    (await import('./polar/adapter.ts')).polarAdapter(parseCredentials(POLAR, credentials), options),
  chargebee: async (credentials, options) =>
    (await import('./chargebee/adapter.ts')).chargebeeAdapter(parseCredentials(CHARGEBEE, credentials), options),
  freemius: async (credentials, options) =>
    (await import('./freemius/adapter.ts')).freemiusAdapter(parseCredentials(FREEMIUS, credentials), options),
  mollie: async (credentials, options) =>
    (await import('./mollie/adapter.ts')).mollieAdapter(parseCredentials(MOLLIE, credentials), options),
}
