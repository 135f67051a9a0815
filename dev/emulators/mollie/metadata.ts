import * as z from 'zod'

/** The seller's own data, at most about 1 kB of JSON; null: none. */
export const Metadata = z
  .union([z.string(), z.number(), z.record(z.string(), z.json()), z.array(z.string())])
  .refine((value) => JSON.stringify(value).length <= 1024, 'The metadata is larger than 1 kB')
  .nullable()
