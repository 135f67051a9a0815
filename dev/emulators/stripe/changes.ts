type Members = Record<string, unknown>

/** Stripe's `previous_attributes`: the old values of the fields that differ. Nested objects are compared likewise. */
export function previousAttributes(before: object, after: object): Members {
  const was: Members = { ...before }
  const is: Members = { ...after }
  const previous: Members = {}
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (JSON.stringify(was[key]) === JSON.stringify(is[key])) continue
    const [old, now] = [was[key], is[key]]
    previous[key] = isMembers(old) && isMembers(now) ? previousAttributes(old, now) : (old ?? null)
  }
  return previous
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
