import type * as z from 'zod'

/** zod's codes for a value that is not what its type says. */
const WRONG_SHAPE: readonly (string | undefined)[] = ['invalid_type', 'invalid_union']

type Check<Value> = (value: Value, context: z.RefinementCtx<Value>) => void

/**
 * The schema with checks among its members, which read it `depth` levels deep. They also run where other rules are
 * broken, so that a reader learns of every error at once, unless something that they read has the wrong shape.
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  depth: number,
  ...checks: Check<z.output<Schema>>[]
): Schema {
  const when = ({ issues }: z.core.ParsePayload) =>
    issues.every(({ code, path = [] }) => !WRONG_SHAPE.includes(code) || path.length > depth)
  return checks.reduce((refined, check) => refined.superRefine(check, { when }), schema)
}

/** Refuses entries whose `member` means the same as an earlier entry's; `meaning` is the text itself by default. */
export function unique<Member extends string>(member: Member, meaning = (value: string | number): unknown => value) {
  return (entries: { [name in Member]?: string | number | null | undefined }[], context: z.RefinementCtx): void => {
    const seen = new Map<unknown, number>()
    for (const [index, entry] of entries.entries()) {
      const value = entry[member]
      if (value === undefined || value === null) continue
      const first = seen.get(meaning(value))
      if (first === undefined) seen.set(meaning(value), index)
      else issueAt(context, [index, member], `the same as in entry ${first}`)
    }
  }
}

/** Refuses lists that share an element; `context` stands at the parent of the lists. */
export function disjoint(lists: { path: PropertyKey[]; values: readonly unknown[] }[], context: z.RefinementCtx): void {
  const seen = new Set<unknown>()
  for (const { path, values } of lists) {
    for (const [index, value] of values.entries()) {
      if (seen.has(value)) issueAt(context, [...path, index], `${value} is already named`)
      seen.add(value)
    }
  }
}

export function issueAt(context: z.RefinementCtx, path: PropertyKey[], message: string): void {
  context.addIssue({ code: 'custom', path, message })
}
