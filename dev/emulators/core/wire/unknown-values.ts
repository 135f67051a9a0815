import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import type { AccountContext } from '../domain/context.ts'

/**
 * Vendors add values to their enumerations. The value that a field of all objects has from now on, wherever it has one, by its name:
 * `{"billing_reason": "subscription_gift"}`. `{}`: nothing is replaced.
 */
export const UNKNOWN_VALUES = accountSetting('values', z.record(z.string(), z.string()), {})

/** An object as it is sent, with the values that its account's setting has for its fields. */
export function withUnknownValues<Shown extends object>(context: AccountContext, shown: Shown): Shown {
  const values = UNKNOWN_VALUES.of(context)
  return Object.keys(values).length === 0 ? shown : (replaced(shown, values) as Shown)
}

function replaced(shown: unknown, values: Record<string, string>): unknown {
  if (Array.isArray(shown)) return shown.map((each) => replaced(each, values))
  if (typeof shown !== 'object' || shown === null) return shown
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [
      name,
      typeof value === 'string' && Object.hasOwn(values, name) ? values[name] : replaced(value, values),
    ]),
  )
}
