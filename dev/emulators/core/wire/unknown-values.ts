import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import type { AccountContext } from '../domain/context.ts'

/**
 * Simulates vendors that add values to their enumerations. Overrides string values in all objects by field name:
 * `{"billing_reason": "subscription_gift"}`. `{}`: no overrides.
 */
export const UNKNOWN_VALUES = accountSetting('values', z.record(z.string(), z.string()), {})

/** An object with the overrides of its account's setting. */
export function withUnknownValues<Shown extends object>(context: AccountContext, shown: Shown): Shown {
  const values = UNKNOWN_VALUES.read(context)
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
