import * as z from 'zod'

/** Largest `userMeta`, in bytes of its JSON. */
const LIMIT = 4096

const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** What an owner keeps about a user: merged, member by member, into what it kept before. Blank says nothing new. */
export const userMeta = z
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
  .refine((meta) => jsonBytes(meta) <= LIMIT, 'userMeta too large')
