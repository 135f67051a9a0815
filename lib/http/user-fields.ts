// What bodies and queries say of a user, the same at every endpoint.
import * as z from 'zod'

/**
 * An e-mail address as identities are compared: trimmed and in small letters. Only ASCII letters are made small: JavaScript
 * would make a `k` of U+212A, the Kelvin sign, so that a stranger's address became somebody else's.
 */
export const email = z
  .string()
  .trim()
  .overwrite((text) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase()))

/** An e-mail address with which a new user may be created. Zod takes ASCII only. */
export const newEmail = email.pipe(z.email('Invalid email format').max(254, 'Invalid email format'))

/** The most characters that an owner's own id of a user may have. */
const EXTERNAL_ID_LENGTH = 255

/**
 * An owner's own id of a user, compared to the letter. Left out, null and empty mean the same. `code` refuses what is no text
 * or is too long.
 */
export const externalIdOr = (code: string) =>
  z
    .string(code)
    .max(EXTERNAL_ID_LENGTH, code)
    .nullish()
    .transform((text) => text || undefined)

/** Largest `userMeta`, in bytes of its JSON. */
const META_LIMIT = 4096

const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Whether a value can be stored as it was sent. Large integers are rounded, and `__proto__` cannot be a field. */
function isExact(value: unknown): boolean {
  let exact = true
  JSON.stringify(value, (name, field) => {
    if (name === '__proto__' || (Number.isInteger(field) && !Number.isSafeInteger(field))) exact = false
    return field
  })
  return exact
}

/** What an owner stores about a user, merged field by field into what it stored before. A blank value adds nothing. */
export const userMeta = z.preprocess(
  (meta, context) => {
    // A value that is too large may be nested too deeply to be walked through: its size is refused below.
    if (jsonBytes(meta) <= META_LIMIT && !isExact(meta)) context.addIssue('Invalid userMeta')
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
    .refine((meta) => jsonBytes(meta) <= META_LIMIT, 'userMeta too large'),
)
