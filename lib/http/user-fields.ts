// The fields of bodies and queries that identify a user, shared by all endpoints.
import * as z from 'zod'
import { describeCodes } from './code-meanings.ts'
import { EMAIL_LENGTH } from './input-limits.ts'

/**
 * An e-mail address in the form in which identities are compared: trimmed and lower-case. Only ASCII letters are lowered: JavaScript would
 * turn U+212A, the Kelvin sign, into `k`, so that a stranger's address would equal somebody else's.
 */
export const email = z
  .string()
  .trim()
  .overwrite((text) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase()))

/** An e-mail address for a new user. Zod accepts ASCII only. */
export const newEmail = email.pipe(z.email('Invalid email format').max(EMAIL_LENGTH, 'Invalid email format'))

/** Maximum length of an external id, in characters. */
const EXTERNAL_ID_LENGTH = 255

/**
 * An owner's own id of a user, compared case-sensitively. Absent, null and empty are equivalent. `code` is the error for a value that is no
 * string or too long.
 */
export const externalIdOr = (code: string) =>
  z
    .string(code)
    .max(EXTERNAL_ID_LENGTH, code)
    .nullish()
    .transform((text) => text || undefined)

/** Maximum size of `userMeta`, in bytes of its JSON. */
const META_LIMIT = 4096

/** What the API reference says of `userMeta`. */
export const USER_META = `Merged field by field into the user's \`meta\` on this paywall. At most ${META_LIMIT / 1024} KB`

const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Whether a value can be stored unchanged. Large integers are rounded, and `__proto__` cannot be a field. */
function isExact(value: unknown): boolean {
  let exact = true
  JSON.stringify(value, (name, field) => {
    if (name === '__proto__' || (Number.isInteger(field) && !Number.isSafeInteger(field))) exact = false
    return field
  })
  return exact
}

/** The owner's data about a user, merged field by field into the stored data. A blank value adds nothing. */
export const userMeta = z.preprocess(
  (meta, context) => {
    // A value that is too large may be nested too deeply to traverse: its size is checked below.
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

describeCodes({
  'Email is required': '`email` is required. If the endpoint accepts `externalId`, that will do instead',
  'Invalid email format': `\`email\` must be an e-mail address of at most ${EMAIL_LENGTH} characters, all of them ASCII`,
  'Invalid externalId': `\`externalId\` must be a string of at most ${EXTERNAL_ID_LENGTH} characters`,
  'Invalid external_id': `\`external_id\` must be a string of at most ${EXTERNAL_ID_LENGTH} characters`,
  'Invalid userMeta': '`userMeta` must be an object without integers beyond 2^53 and without a field named `__proto__`',
  'userMeta too large': `\`userMeta\` must not exceed ${META_LIMIT / 1024} KB`,
})
