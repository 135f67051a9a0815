import type { Person } from './person.ts'
import type { Truth } from './sales.ts'
import { mollieTruth } from './truth-mollie.ts'
import { stripeTruth } from './truth-stripe.ts'

/** What the processor of a life has. */
export const truthOf = (person: Person): Truth =>
  person.life.processor === 'stripe' ? stripeTruth(person) : mollieTruth(person)
