import * as z from 'zod'

type Check<Value> = (value: Value, context: z.RefinementCtx<Value>) => void

/**
 * Adds checks across fields, `depth` levels deep, to a schema. zod skips refinements after any other error; these still run, so that
 * the author of the file sees all errors at once, unless a value within `depth` has the wrong type.
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  depth: number,
  ...checks: Check<z.output<Schema>>[]
): Schema {
  const when = ({ issues }: z.core.ParsePayload) =>
    issues.every((issue) => !isWrongShape(issue) || (issue.path ?? []).length > depth)
  return checks.reduce((refined, check) => refined.superRefine(check, { when }), schema)
}

/**
 * Whether a value has the wrong type. An error in a layout's block does not count: only the check of layouts reads blocks, and it skips
 * invalid ones.
 */
function isWrongShape(issue: z.core.$ZodRawIssue): boolean {
  return issue.code === 'invalid_type' || (issue.code === 'invalid_union' && issue.discriminator !== undefined)
}

/** Rejects entries whose `field` equals an earlier entry's. `toComparable` maps a value to what is compared. */
export function unique<Field extends string>(field: Field, toComparable = (value: string | number): unknown => value) {
  return (entries: { [name in Field]?: string | number | null | undefined }[], context: z.RefinementCtx): void => {
    const firstIndexes = new Map<unknown, number>()
    for (const [index, entry] of entries.entries()) {
      const value = entry[field]
      if (value === undefined || value === null) continue
      const first = firstIndexes.get(toComparable(value))
      if (first === undefined) firstIndexes.set(toComparable(value), index)
      else issueAt(context, [index, field], `is the same as in entry ${first}`)
    }
  }
}

/** Rejects lists that share an element. Paths are relative to the checked value. */
export function disjoint(lists: { path: PropertyKey[]; values: readonly unknown[] }[], context: z.RefinementCtx): void {
  const union = new Set<unknown>()
  for (const { path, values } of lists) {
    for (const [index, value] of values.entries()) {
      if (union.has(value)) issueAt(context, [...path, index], `${value} is listed twice`)
      union.add(value)
    }
  }
}

/** Adds an error. The path is relative to the checked value. */
export function issueAt(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  context.addIssue({ code: 'custom', path, message })
}

/** Formats an error with its path: `paywalls[0].prices[1].amount: is missing`. */
export function pathMessage(path: PropertyKey[], message: string): string {
  return path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`
}
