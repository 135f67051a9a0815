import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Stage } from './stage.ts'

/** Who Ann is to the owner. */
export const EMAIL = 'ann@example.com'

const Opened = z.object({ checkoutUrl: z.url() })
const Refusal = z.object({ error: z.string() })
const UserState = z.object({
  paid: z.boolean(),
  purchases: z.array(z.object({ status: z.string() })),
  balances: z.array(z.object({ type: z.string(), count: z.int() })),
})

/** What the owner sees when it asks who Ann is. */
export interface Access {
  paid: boolean
  /** Of the latest purchase; null: she has bought nothing. */
  status: string | null
  balances: { type: string; count: number }[]
}

/** What the owner's backend asks the service for Ann, by its key. What is refused is told by its status and `error`. */
export interface Owner {
  startCheckout(slug: string): Promise<{ checkoutUrl: string } | { refusal: string }>
  /** Null: it was done. */
  debit(amount: number): Promise<string | null>
  cancel(subscriptionId: string, reason: string): Promise<string | null>
  /** Null: nobody knows her yet. */
  access(): Promise<Access | null>
}

export function ownerOf({ world, paywall, key }: Stage): Owner {
  async function post(path: string, body: object): Promise<{ refusal: string } | { body: unknown }> {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const response = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const sent: unknown = await response.json()
    return response.ok ? { body: sent } : { refusal: `${response.status} ${Refusal.parse(sent).error}` }
  }

  async function refusalOf(path: string, body: object): Promise<string | null> {
    const done = await post(path, body)
    return 'refusal' in done ? done.refusal : null
  }

  return {
    async startCheckout(slug) {
      const price = paywall.prices.find((each) => each.slug === slug)
      const order = { email: EMAIL, priceId: price?.id, successUrl: LANDING, errorUrl: LANDING }
      const done = await post(`/api/v1/paywall/${paywall.id}/start-checkout`, order)
      return 'refusal' in done ? done : Opened.parse(done.body)
    },
    debit: (amount) =>
      refusalOf(`/api/v1/paywall/${paywall.id}/balances`, { op: 'debit', type: 'standard', email: EMAIL, amount }),
    cancel: (subscriptionId, cancellationReason) =>
      refusalOf('/api/paywall/cancel-subscription', {
        ...{ paywallId: paywall.id, email: EMAIL, subscriptionId, cancellationReason },
      }),
    async access() {
      const address = `${world.url}/api/v1/paywall/${paywall.id}/user?email=${EMAIL}`
      const response = await fetch(address, { headers: { 'x-api-key': key } })
      if (response.status === 404) return null
      const { paid, purchases, balances } = UserState.parse(await response.json())
      return { paid, balances, status: purchases[0]?.status ?? null }
    },
  }
}

/** Where the owner's page would be: nobody goes there. */
const LANDING = 'http://127.0.0.1/thanks'
