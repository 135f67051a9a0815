import * as z from 'zod'

/** Deeper than any layout; Postgres and canonical JSON recurse, so there must be an end. */
const MAX_DEPTH = 64

/** What in a parsed JSON value Postgres would not store as it is, or JavaScript not copy, each with its path. */
export function storageProblems(value: unknown, path: PropertyKey[] = []): string[] {
  const problem = problemOf(value, path.length)
  if (problem) return [pathMessage(path, problem)]
  if (typeof value !== 'object' || value === null) return []

  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return members.flatMap(([key, member]) => {
    const wrong = typeof key === 'string' ? nameProblem(key) : null
    return wrong ? [pathMessage(path, wrong)] : storageProblems(member, [...path, key])
  })
}

/** An error as readers of the file see it: `paywalls[0].prices[1].amount: is missing`. */
export function pathMessage(path: PropertyKey[], message: string): string {
  return path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`
}

function problemOf(value: unknown, depth: number): string | null {
  if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`
  if (typeof value === 'string') return textProblem(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is too large a number'
  return null
}

function nameProblem(name: string): string | null {
  if (name === '__proto__') return 'a member cannot be called __proto__'
  return textProblem(name) && `a member's name ${textProblem(name)}`
}

function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'has a NUL character'
  return text.isWellFormed() ? null : 'has half of a surrogate pair'
}
