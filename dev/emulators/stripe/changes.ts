type Fields = Record<string, unknown>

/** Stripe's `previous_attributes`: the old values of the fields that differ. Nested objects are compared likewise. */
export function previousAttributes(before: object, after: object): Fields {
  const was: Fields = { ...before }
  const is: Fields = { ...after }
  const previous: Fields = {}
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (JSON.stringify(was[key]) === JSON.stringify(is[key])) continue
    const [old, now] = [was[key], is[key]]
    previous[key] = isFields(old) && isFields(now) ? previousAttributes(old, now) : (old ?? null)
  }
  return previous
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
