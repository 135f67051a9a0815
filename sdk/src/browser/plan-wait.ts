import type { ChangedPlan } from '../schemas.ts'
import { pollUser } from './poll-user.ts'
import type { WatchedUser } from './watched-user.ts'

/** How long to wait for a changed plan, in milliseconds. One that arrives later appears with the next read. */
const MAX_WAIT_MS = 8_000

/** Reads the user until it shows a change: the service stores what the processor has done shortly after its response. */
export const waitForPlan = (watched: WatchedUser, { subscription_id, to }: ChangedPlan): Promise<boolean> =>
  pollUser(watched, MAX_WAIT_MS, ({ purchases }) =>
    purchases.some((each) => {
      const { price_slug, quantity } = each.scheduled_change ?? each
      return each.id === subscription_id && price_slug === to.price_slug && quantity === to.quantity
    }),
  )
