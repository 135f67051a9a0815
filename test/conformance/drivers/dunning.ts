import { ACQUIRING } from '../../../lib/processors/acquiring.ts'
import type { Shop } from '../shop.ts'

/** Where an owner sets how failed charges are repeated, as often as it takes: the usual schedule is over by then. */
const THREE_WEEKS = { retryDays: [2, 5, 7, 7], finally: 'cancel' as const }

/** Freemius gives up after nine days, and then the licence is over. */
export const GIVES_UP = 'freemius'
export const GOES_ON = ACQUIRING.filter((acquiring) => acquiring !== GIVES_UP)

/** Lets failed charges be repeated for three weeks, at processors that let an owner choose. */
export async function repeatForThreeWeeks({ world, acquiring, paywall }: Shop): Promise<void> {
  if (acquiring === 'stripe' || acquiring === 'chargebee') await world[acquiring].setDunning(paywall.id, THREE_WEEKS)
}
