import { isPart, type Part } from './complete.ts'

/** The old values of changed fields; null for new fields. Compares nested objects recursively. */
export function oldValues(before: object, after: object): Part {
  const was: Part = { ...before }
  const is: Part = { ...after }
  const previous: Part = {}
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const old = was[key]
    const now = is[key]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    previous[key] = isPart(old) && isPart(now) ? oldValues(old, now) : (old ?? null)
  }
  return previous
}
