// Ann, the buyer of every scenario: what she does on pages and through the owner, and what her bank does.
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../../../cli/command.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import { actsFor, findAccount } from '../../emulators/acts-for.ts'
import type { Acts } from '../../emulators/core/acts/acts.ts'
import { Refused } from '../../emulators/core/acts/refused.ts'
import { EmulatorError } from '../../emulators/core/wire/emulator-error.ts'
import type { Owner } from './owner.ts'
import type { Stage } from './stage.ts'

/** The actions of a scenario. Each returns null on success, or else why it failed. */
export interface Buyer {
  /** Opens a checkout of a price and pays on its page. By default the browser then returns to the service. */
  buy(slug: string, options?: Purchasing): Promise<string | null>
  /** Opens two pages that replace her purchase, and pays on both at once. */
  upgradeTwice(slug: string): Promise<string | null>
  /** The owner debits tokens for something that she used. */
  use(tokens: number): Promise<string | null>
  /** She cancels through the owner. */
  cancel(reason: string): Promise<string | null>
  /** She opens the processor's portal. */
  openPortal(): Promise<string | null>
  /** She changes the plan in the processor's portal, immediately or at the end of the period. */
  changePlan(slug: string, when?: 'now' | 'at the end of the period'): Promise<string | null>
  /** Something happens to her latest purchase at its processor. */
  atProcessor(act: (acts: Acts, processorId: string) => Promise<unknown>): Promise<string | null>
  /** Makes her bank refuse charges, or accept them again. */
  bankDeclines(declines: boolean): Promise<null>
  /** Drops the processor's webhooks while `act` runs. */
  withoutWebhooks(act: () => Promise<string | null>): Promise<string | null>
  /** Moves the clock by a duration such as `31d`. */
  advance(by: string): Promise<null>
  /** Moves the clock to noon of the given day, in this month or the next. */
  advanceToDay(day: number): Promise<null>
}

interface Purchasing {
  comesBack?: boolean
  ignoreActivePurchase?: boolean
}

export function createBuyer({ world, paywall }: Stage, owner: Owner): Buyer {
  const { acquiring } = paywall.processor
  const { title, capabilities } = DEFINITIONS[acquiring]
  const emulator = world[acquiring]
  const acts = actsFor(world, paywall)
  const latest = () => latestPurchase(world, paywall.id)
  const { records } = findAccount(world, paywall)
  const openPages = () => records('pages').filter(({ status }) => status === 'open').length

  async function atProcessor(act: (acts: Acts, processorId: string) => Promise<unknown>): Promise<string | null> {
    const { processorId } = await latest()
    try {
      await act(acts, processorId)
      return null
    } catch (error) {
      if (error instanceof Refused || error instanceof EmulatorError) return error.message
      throw error
    }
  }

  return {
    async buy(slug, { comesBack = true, ...options } = {}) {
      const opened = await owner.startCheckout(slug, options)
      if ('refusal' in opened) return opened.refusal
      const back = await payOn(opened.checkoutUrl)
      if (back === null) return 'the page is closed'
      if (comesBack) await followWithin(world.url, back)
      return null
    },
    async upgradeTwice(slug) {
      const pages: string[] = []
      for (let page = 0; page < 2; page++) {
        const opened = await owner.startCheckout(slug, { ignoreActivePurchase: true })
        if ('refusal' in opened) return opened.refusal
        pages.push(opened.checkoutUrl)
      }
      if (capabilities.expiresPages) await until('the first page is closed', () => openPages() < 2)
      const returnUrls = await Promise.all(pages.map(payOn))
      await Promise.all(returnUrls.map((back) => followWithin(world.url, back)))
      return returnUrls.includes(null) ? `${title} has closed the first page` : null
    },
    use: (tokens) => owner.debit(tokens),
    async cancel(reason) {
      const { processorId } = await latest()
      const refusal = await owner.cancel(processorId, reason)
      if (refusal === null) await until('the cancellation is stored', () => isCancelled(owner))
      return refusal
    },
    async openPortal() {
      const opened = await owner.openPortal()
      if ('refusal' in opened) return opened.refusal
      const { ok, status } = await fetch(opened.url)
      return ok ? null : `the page answers ${status}`
    },
    async changePlan(slug, when = 'now') {
      const change = when === 'now' ? acts.changePlan : acts.schedulePlan
      if (!capabilities.portal) return `${title} has no portal`
      if (!change) return `the portal of ${title} does not offer this`
      const price = paywall.prices.find((each) => each.slug === slug)
      return atProcessor((_, id) => change(id, price?.processor_price))
    },
    atProcessor,
    async bankDeclines(declines) {
      await emulator.declineCharges((await latest()).customer, declines)
      return null
    },
    async withoutWebhooks(act) {
      emulator.holdWebhooks()
      try {
        return await act()
      } finally {
        await emulator.sendHeldWebhooks(() => [])
      }
    },
    async advance(by) {
      await world.clock.advance(paywall.id, by)
      return null
    },
    async advanceToDay(day) {
      await world.clock.moveTo(paywall.id, nextDay(await world.clock.now(paywall.id), day))
      return null
    },
  }
}

/** Waits for the service's work after its response: storing a cancellation, closing older pages. */
async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const withinMs = 10_000
  const pollMs = 20
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await delay(pollMs)) {
    if (await isTrue()) return
  }
  throw new Error(`not within ${withinMs} ms: ${what}`)
}

async function isCancelled(owner: Owner): Promise<boolean> {
  const latest = (await owner.access())?.purchases[0]
  return latest?.status === 'canceled' || Boolean(latest?.cancel_at)
}

/** Noon of the given day, in this month or the next. */
function nextDay(now: Date, day: number): Date {
  const year = now.getUTCFullYear()
  const month = now.getUTCMonth()
  const thisMonth = new Date(Date.UTC(year, month, day, 12))
  return thisMonth > now ? thisMonth : new Date(Date.UTC(year, month + 1, day, 12))
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
  if (!rows[0]) throw new CommandError(['Ann has no purchase'])
  return rows[0]
}

/** Pays on a hosted page. Returns where that redirects the browser; null if the page cannot be paid. */
async function payOn(checkoutUrl: string): Promise<string | null> {
  const form = { method: 'POST', body: new URLSearchParams({ action: 'pay', email: 'ann@acme.dev' }) }
  return (await fetch(checkoutUrl, { ...form, redirect: 'manual' })).headers.get('location')
}

/** Follows redirects as long as they stay at the service. */
async function followWithin(service: string, place: string | null): Promise<void> {
  let next = place
  while (next?.startsWith(service)) next = (await fetch(next, { redirect: 'manual' })).headers.get('location')
}
