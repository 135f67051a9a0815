import * as z from 'zod'

/** Largest `userMeta`, in bytes of its JSON. */
const LIMIT = 4096

const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Neither a number that was another one when it was sent, nor a name that objects do not bear, however deep inside. */
function isExact(value: unknown): boolean {
  let exact = true
  JSON.stringify(value, (name, member) => {
    if (name === '__proto__' || (Number.isInteger(member) && !Number.isSafeInteger(member))) exact = false
    return member
  })
  return exact
}

/** What an owner keeps about a user: merged, member by member, into what it kept before. Blank says nothing new. */
export const userMeta = z.preprocess(
  (meta, context) => {
    // What is too large is refused for that, below: it may be nested deeper than can be looked into.
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
