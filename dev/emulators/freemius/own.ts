import * as z from 'zod'
import { ownReader } from '../core/domain/tables.ts'

/* What Freemius' objects have besides what the core knows of them. A licence is kept as the completed page that sold it. */

const environment = z.union([z.literal(0), z.literal(1)])

export const licenseOwn = ownReader(
  z.object({
    /** 1: bought in the sandbox. */
    environment,
    /** The owner has cancelled it in the dashboard. */
    cancelled: z.boolean().default(false),
    deleted: z.boolean().default(false),
  }),
)

export const subscriptionOwn = ownReader(
  z.object({
    license: z.string(),
    cancelReason: z.string().nullable().default(null),
    reasonIds: z.array(z.string()).default([]),
  }),
)

/** A renewal's payment has nothing of its own: its subscription tells the licence. */
export const paymentOwn = ownReader(z.object({ license: z.string().nullable().default(null) }))

/** What an event has besides its objects. */
export const eventOwn = ownReader(
  z.object({ data: z.unknown(), user: z.string().nullable(), trigger: z.enum(['system', 'developer', 'user']) }),
)
