import * as z from 'zod'

/** Largest `userMeta`, in bytes of its JSON. */
const LIMIT = 4096

const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Whether a value can be stored as it was sent. Large integers are rounded, and `__proto__` cannot be a field. */
function isExact(value: unknown): boolean {
  let exact = true
  JSON.stringify(value, (name, member) => {
    if (name === '__proto__' || (Number.isInteger(member) && !Number.isSafeInteger(member))) exact = false
    return member
  })
  return exact
}

/** What an owner stores about a user, merged field by field into what it stored before. A blank value adds nothing. */
export const userMeta = z.preprocess(
  (meta, context) => {
    // A value that is too large may be nested too deeply to be walked through: its size is refused below.
    if (jsonBytes(meta) <= LIMIT && !isExact(meta)) context.addIssue('Invalid userMeta')
    return meta
  },
  z
    .union(
      [
        z
          .literal('')
          .nullish()
          .transform(() => ({})),
        z.record(z.string(), z.unknown()),
      ],
      'Invalid userMeta',
    )
    .refine((meta) => jsonBytes(meta) <= LIMIT, 'userMeta too large'),
)
