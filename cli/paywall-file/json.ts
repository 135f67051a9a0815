import { pathMessage } from './checks.ts'

/** Deeper than any layout. A limit is needed because Postgres and canonical JSON recurse and would fail. */
const MAX_DEPTH = 64

/** Parses JSON. The error has line and column. */
export function parseJsonText(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { error: `not valid JSON: ${withPosition(error.message, text)}` }
  }
}

/** V8's message has the position of most errors, but not of an unexpected token or an unexpected end. */
function withPosition(message: string, text: string): string {
  if (/at position \d+/.test(message)) return message.replace(' in JSON', '')
  const token = /^Unexpected token '.*?'/su.exec(message)?.[0]
  const before = text.slice(0, token ? beforeUnexpectedToken(text) : text.length)
  const line = before.split('\n').length
  return `${token ?? 'unexpected end of file'} (line ${line} column ${before.length - before.lastIndexOf('\n')})`
}

/** The offset of the unexpected token: the length of the longest prefix without that error, by binary search. */
function beforeUnexpectedToken(text: string): number {
  let without = 0
  let including = text.length
  while (including - without > 1) {
    const middle = (without + including) >> 1
    if (hasUnexpectedToken(text.slice(0, middle))) including = middle
    else without = middle
  }
  return without
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return error instanceof SyntaxError && error.message.startsWith('Unexpected token')
  }
}

/** Errors for values that Postgres cannot store or JavaScript cannot copy unchanged, with their paths. */
export function storageProblems(value: unknown, path: PropertyKey[] = []): string[] {
  const problem = findProblem(value, path.length)
  if (problem) return [pathMessage(path, problem)]
  if (typeof value !== 'object' || value === null) return []

  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, entry]) => {
    const wrong = typeof key === 'string' ? nameProblem(key) : null
    return wrong ? [pathMessage(path, wrong)] : storageProblems(entry, [...path, key])
  })
}

function findProblem(value: unknown, depth: number): string | null {
  if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`
  if (typeof value === 'string') return textProblem(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is too large a number'
  return null
}

function nameProblem(name: string): string | null {
  if (name === '__proto__') return 'a field cannot be called __proto__'
  return textProblem(name) && `a field's name ${textProblem(name)}`
}

function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character'
  return text.isWellFormed() ? null : 'contains a lone surrogate'
}
