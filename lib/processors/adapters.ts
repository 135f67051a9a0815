import type { Acquiring } from './acquiring.ts'
import type { Adapter, AdapterOptions } from './adapter.ts'
import { parseCredentials } from './credentials.ts'
import { MOLLIE } from './mollie/definition.ts'
import { STRIPE } from './stripe/definition.ts'

/** Makes the adapter of an account. Its code is loaded when it is first needed. */
export const ADAPTERS: Readonly<
  Record<Acquiring, (credentials: unknown, options: AdapterOptions) => Promise<Adapter>>
> = {
  stripe: async (credentials, options) =>
    (await import('./stripe/adapter.ts')).stripeAdapter(parseCredentials(STRIPE, credentials), options),
  mollie: async (credentials, options) =>
    (await import('./mollie/adapter.ts')).mollieAdapter(parseCredentials(MOLLIE, credentials), options),
}
