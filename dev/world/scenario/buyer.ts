// Ann, whose life a scenario is: what she does on pages and through the owner, and what her bank does.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { CommandError } from '../../../cli/command.ts'
import { actsOf } from '../../emulators/acts-of.ts'
import type { Acts } from '../../emulators/core/acts/acts.ts'
import type { Stage } from './stage.ts'

const EMAIL = 'ann@example.com'

const Opened = z.object({ checkoutUrl: z.url() })
const Refusal = z.object({ error: z.string() })
const UserState = z.object({
  paid: z.boolean(),
  purchases: z.array(z.object({ id: z.string(), status: z.string(), cancel_at_period_end: z.boolean() })),
  balances: z.array(z.object({ type: z.string(), count: z.int() })),
})

/** What the owner sees when it asks who Ann is. */
export type Access = Pick<z.output<typeof UserState>, 'paid' | 'balances'> & {
  /** Of the latest purchase; null: she has bought nothing. */
  status: string | null
}

/** What can happen in a life. What is refused is told in a few words; null: it was done. */
export interface Buyer {
  /** Opens a checkout of a price and pays on its page. Unless told otherwise, the browser comes back then. */
  buy(slug: string, options?: { comesBack: boolean }): Promise<string | null>
  /** The owner takes tokens away for something that she used. */
  use(tokens: number): Promise<string | null>
  /** She cancels through the owner. */
  cancel(reason: string): Promise<string | null>
  /** Something happens to her latest purchase at its processor. */
  at(act: (acts: Acts, processorId: string) => Promise<unknown> | undefined): Promise<null>
  /** From now on her bank refuses charges, or does not any more. */
  bankDeclines(declines: boolean): Promise<null>
  /** Webhooks of the processor get lost while something happens. */
  unheard(act: () => Promise<string | null>): Promise<string | null>
  /** A span such as `31d` passes. */
  passes(by: string): Promise<null>
}

export function createBuyer({ world, paywall, key }: Stage): Buyer {
  const emulator = world[paywall.processor.acquiring]
  const acts = actsOf(world, paywall)

  async function post(path: string, body: object): Promise<{ refusal: string } | { body: unknown }> {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const response = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const answer: unknown = await response.json()
    return response.ok ? { body: answer } : { refusal: `${response.status} ${Refusal.parse(answer).error}` }
  }

  const refusalOf = async (done: ReturnType<typeof post>) => {
    const answer = await done
    return 'refusal' in answer ? answer.refusal : null
  }

  async function latest(): Promise<{ processorId: string; customer: string }> {
    const { rows } = await world.database.query<{ processorId: string; customer: string }>(
      `select p.processor_id as "processorId", p.processor_customer as customer from purchases p
       where p.paywall_id = $1 order by p.created_at desc limit 1`,
      [paywall.id],
    )
    if (!rows[0]) throw new CommandError(['Ann has bought nothing'])
    return rows[0]
  }

  const buyer: Buyer = {
    async buy(slug, { comesBack } = { comesBack: true }) {
      const price = paywall.prices.find((each) => each.slug === slug)
      const successUrl = 'http://127.0.0.1/thanks'
      const order = { email: EMAIL, priceId: price?.id, successUrl, errorUrl: successUrl }
      const opened = await post(`/api/v1/paywall/${paywall.id}/start-checkout`, order)
      if ('refusal' in opened) return opened.refusal
      const back = await payOn(Opened.parse(opened.body).checkoutUrl)
      if (comesBack) await followWithin(world.url, back)
      return null
    },
    use: (amount) =>
      refusalOf(
        post(`/api/v1/paywall/${paywall.id}/balances`, { op: 'debit', type: 'standard', email: EMAIL, amount }),
      ),
    async cancel(cancellationReason) {
      const { processorId: subscriptionId } = await latest()
      const body = { paywallId: paywall.id, email: EMAIL, subscriptionId, cancellationReason }
      return refusalOf(post('/api/paywall/cancel-subscription', body))
    },
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
      const refusal = await act()
      await emulator.sendHeldWebhooks(() => [])
      return refusal
    },
    async passes(by) {
      await world.clock.advance(paywall.id, by)
      return null
    },
  }
  return buyer
}

/** Pays on a hosted page. Gives where that sends the browser. */
async function payOn(checkoutUrl: string): Promise<string | null> {
  const form = { method: 'POST', body: new URLSearchParams({ action: 'pay' }) }
  return (await fetch(checkoutUrl, { ...form, redirect: 'manual' })).headers.get('location')
}

/** Follows a browser's way as long as it is at the service. */
async function followWithin(service: string, place: string | null): Promise<void> {
  let next = place
  while (next?.startsWith(service)) next = (await fetch(next, { redirect: 'manual' })).headers.get('location')
}

/** Who Ann is to the owner now; null: nobody yet. */
export async function accessOf({ world, paywall, key }: Stage): Promise<Access | null> {
  const address = `${world.url}/api/v1/paywall/${paywall.id}/user?email=${EMAIL}`
  const response = await fetch(address, { headers: { 'x-api-key': key } })
  if (response.status === 404) return null
  const { paid, purchases, balances } = UserState.parse(await response.json())
  return { paid, balances, status: purchases[0]?.status ?? null }
}
