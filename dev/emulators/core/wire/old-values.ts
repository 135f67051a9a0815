type Fields = Record<string, unknown>

/** The old values of the fields that differ; null where there was none. Nested objects are compared likewise. */
export function oldValues(before: object, after: object): Fields {
  const was: Fields = { ...before }
  const is: Fields = { ...after }
  const previous: Fields = {}
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [old, now] = [was[key], is[key]]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    previous[key] = isFields(old) && isFields(now) ? oldValues(old, now) : (old ?? null)
  }
  return previous
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
