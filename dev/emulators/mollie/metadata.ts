import * as z from 'zod'

/** Anything a seller likes, up to about 1 kB of JSON; null where there is none. */
export const Metadata = z
  .union([z.string(), z.number(), z.record(z.string(), z.json()), z.array(z.string())])
  .refine((value) => JSON.stringify(value).length <= 1024, 'The metadata is larger than 1 kB')
  .nullable()
