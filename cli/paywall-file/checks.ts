import * as z from 'zod'

type Check<Value> = (value: Value, context: z.RefinementCtx<Value>) => void

/**
 * The schema with checks that compare its fields, `depth` levels deep. zod skips such checks once any rule is broken;
 * these run all the same, so that the person who wrote the file sees every error at once. Only where a value that they
 * read has the wrong type are they skipped.
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
 * Whether a value has another type than the schema's. A block of a layout is of one of two unions, and not counted: only the
 * check of layouts reads blocks, and it passes over those that are wrong.
 */
function isWrongShape(issue: z.core.$ZodRawIssue): boolean {
  return issue.code === 'invalid_type' || (issue.code === 'invalid_union' && issue.discriminator !== undefined)
}

/** Refuses entries whose `field` is the same as an earlier entry's. `meaning` makes of a value what is compared. */
export function unique<Field extends string>(field: Field, meaning = (value: string | number): unknown => value) {
  return (entries: { [name in Field]?: string | number | null | undefined }[], context: z.RefinementCtx): void => {
    const firstIndexes = new Map<unknown, number>()
    for (const [index, entry] of entries.entries()) {
      const value = entry[field]
      if (value === undefined || value === null) continue
      const first = firstIndexes.get(meaning(value))
      if (first === undefined) firstIndexes.set(meaning(value), index)
      else issueAt(context, [index, field], `the same as in entry ${first}`)
    }
  }
}

/** Refuses lists that share an element. Their paths begin at the value that `context` checks. */
export function disjoint(lists: { path: PropertyKey[]; values: readonly unknown[] }[], context: z.RefinementCtx): void {
  const union = new Set<unknown>()
  for (const { path, values } of lists) {
    for (const [index, value] of values.entries()) {
      if (union.has(value)) issueAt(context, [...path, index], `${value} is already named`)
      union.add(value)
    }
  }
}

/** Adds an error. Its path begins at the value that `context` checks. */
export function issueAt(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  context.addIssue({ code: 'custom', path, message })
}

/** An error as readers of the file see it: `paywalls[0].prices[1].amount: is missing`. */
export function pathMessage(path: PropertyKey[], message: string): string {
  return path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`
}
