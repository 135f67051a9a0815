import { CHARGEBEE } from './chargebee/definition.ts'
import type { ProcessorDefinition } from './definition.ts'
import { FREEMIUS } from './freemius/definition.ts'
import { MOLLIE } from './mollie/definition.ts'
import { POLAR } from './polar/definition.ts'
import type { ProcessorName } from './processor-name.ts'
import { STRIPE } from './stripe/definition.ts'

const BY_NAME = {
  stripe: STRIPE,
  polar: POLAR,
  chargebee: CHARGEBEE,
  freemius: FREEMIUS,
  mollie: MOLLIE,
} satisfies Record<ProcessorName, ProcessorDefinition>

/** The definitions of all processors: the paywall file, the documents, the local world and the tests are built from them. */
export const DEFINITIONS: Readonly<Record<ProcessorName, ProcessorDefinition>> = BY_NAME

/** The credentials of an account at a processor, by their names in the paywall file. */
export type Credentials<Name extends ProcessorName> = Record<keyof (typeof BY_NAME)[Name]['credentials'], string>
