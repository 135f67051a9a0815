// Ann, whose life a scenario is: what she does on pages and through the owner, and what her bank does.
import { CommandError } from '../../../cli/command.ts'
import { actsOf } from '../../emulators/acts-of.ts'
import type { Acts } from '../../emulators/core/acts/acts.ts'
import type { Owner } from './owner.ts'
import type { Stage } from './stage.ts'

/** What can happen in a life. What is refused is told in a few words; null: it was done. */
export interface Buyer {
  /** Opens a checkout of a price and pays on its page. Unless told otherwise, the browser comes back then. */
  buy(slug: string, options?: { comesBack: boolean }): Promise<string | null>
  /** The owner takes tokens away for something that she used. */
  use(tokens: number): Promise<string | null>
  /** She cancels through the owner. */
  cancel(reason: string): Promise<string | null>
  /** Something happens to her latest purchase at its processor. */
  at(act: (acts: Acts, processorId: string) => Promise<unknown>): Promise<null>
  /** From now on her bank refuses charges, or does not any more. */
  bankDeclines(declines: boolean): Promise<null>
  /** Webhooks of the processor get lost while something happens. */
  unheard(act: () => Promise<string | null>): Promise<string | null>
  /** A span such as `31d` passes. */
  passes(by: string): Promise<null>
}

export function createBuyer({ world, paywall }: Stage, owner: Owner): Buyer {
  const emulator = world[paywall.processor.acquiring]
  const acts = actsOf(world, paywall)
  const latest = () => latestPurchase(world, paywall.id)
  return {
    async buy(slug, { comesBack } = { comesBack: true }) {
      const opened = await owner.startCheckout(slug)
      if ('refusal' in opened) return opened.refusal
      const back = await payOn(opened.checkoutUrl)
      if (comesBack) await followWithin(world.url, back)
      return null
    },
    use: (tokens) => owner.debit(tokens),
    cancel: async (reason) => owner.cancel((await latest()).processorId, reason),
    async at(act) {
      await act(acts, (await latest()).processorId)
      return null
    },
    async bankDeclines(declines) {
      await emulator.declineCharges((await latest()).customer, declines)
      return null
    },
    async unheard(act) {
      emulator.holdWebhooks()
      try {
        return await act()
      } finally {
        await emulator.sendHeldWebhooks(() => [])
      }
    },
    async passes(by) {
      await world.clock.advance(paywall.id, by)
      return null
    },
  }
}

interface Purchase {
  processorId: string
  /** The processor's id of its customer. */
  customer: string
}

async function latestPurchase({ database }: Stage['world'], paywallId: string): Promise<Purchase> {
  const { rows } = await database.query<Purchase>(
    `select p.processor_id as "processorId", p.processor_customer as customer from purchases p
     where p.paywall_id = $1 order by p.created_at desc limit 1`,
    [paywallId],
  )
  if (!rows[0]) throw new CommandError(['Ann has bought nothing'])
  return rows[0]
}

/** Pays on a hosted page. Gives where that sends the browser. */
async function payOn(checkoutUrl: string): Promise<string | null> {
  const form = { method: 'POST', body: new URLSearchParams({ action: 'pay', email: 'ann@acme.dev' }) }
  return (await fetch(checkoutUrl, { ...form, redirect: 'manual' })).headers.get('location')
}

/** Follows a browser's way as long as it is at the service. */
async function followWithin(service: string, place: string | null): Promise<void> {
  let next = place
  while (next?.startsWith(service)) next = (await fetch(next, { redirect: 'manual' })).headers.get('location')
}
