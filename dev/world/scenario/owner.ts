import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Stage } from './stage.ts'

/** The address by which the owner knows Ann. */
export const EMAIL = 'ann@example.com'

const Checkout = z.object({ checkoutUrl: z.url() })
const Portal = z.object({ url: z.url() })
const Refusal = z.object({ error: z.string(), purchaseId: z.string().optional() })
const Purchase = z.object({
  id: z.string(),
  status: z.string(),
  price_slug: z.string().nullable(),
  cancel_at: z.coerce.date().nullable(),
})
const UserState = z.object({
  paid: z.boolean(),
  features: z.array(z.string()),
  purchases: z.array(Purchase),
  balances: z.array(z.object({ type: z.string(), count: z.int() })),
})

/** The `user` endpoint's response about Ann; the latest purchase is first. */
export type Access = z.output<typeof UserState>

/** Why the service refused a call: status, `error` and the conflicting purchase. */
export interface CallRefusal {
  refusal: string
}

/** The calls that the owner's backend makes about Ann, with its key. */
export interface Owner {
  startCheckout(
    slug: string,
    options?: { ignoreActivePurchase?: boolean },
  ): Promise<{ checkoutUrl: string } | CallRefusal>
  openPortal(): Promise<{ url: string } | CallRefusal>
  /** Null: success. Otherwise why it was refused. */
  debit(amount: number): Promise<string | null>
  cancel(subscriptionId: string, reason: string): Promise<string | null>
  /** Null: the user does not exist yet. */
  access(): Promise<Access | null>
}

export function createOwner({ world, paywall, key }: Stage): Owner {
  const paywallPath = `/api/v1/paywall/${paywall.id}`

  async function post(path: string, body: object): Promise<CallRefusal | { body: unknown }> {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const response = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const reply: unknown = await response.json()
    if (response.ok) return { body: reply }
    const { error, purchaseId } = Refusal.parse(reply)
    const refusal = [
      `refused, ${response.status} ${error}`,
      ...(purchaseId ? [await describeConflict(purchaseId)] : []),
    ]
    return { refusal: refusal.join(': ') }
  }

  async function describeConflict(id: string): Promise<string> {
    const purchase = (await access())?.purchases.find((each) => each.id === id)
    return `${purchase?.price_slug} is ${purchase?.status}`
  }

  async function refusal(path: string, body: object): Promise<string | null> {
    const reply = await post(path, body)
    return 'refusal' in reply ? reply.refusal : null
  }

  async function access(): Promise<Access | null> {
    const response = await fetch(`${world.url}${paywallPath}/user?email=${EMAIL}`, { headers: { 'x-api-key': key } })
    return response.status === 404 ? null : UserState.parse(await response.json())
  }

  return {
    async startCheckout(slug, options = {}) {
      const price = paywall.prices.find((each) => each.slug === slug)
      const order = { email: EMAIL, priceId: price?.id, successUrl: LANDING, errorUrl: LANDING, ...options }
      const reply = await post(`${paywallPath}/start-checkout`, order)
      return 'refusal' in reply ? reply : Checkout.parse(reply.body)
    },
    async openPortal() {
      const reply = await post(`${paywallPath}/get-customer-portal`, { email: EMAIL })
      return 'refusal' in reply ? reply : Portal.parse(reply.body)
    },
    debit: (amount) => refusal(`${paywallPath}/balances`, { op: 'debit', type: 'standard', email: EMAIL, amount }),
    cancel: (subscriptionId, cancellationReason) =>
      refusal('/api/paywall/cancel-subscription', {
        paywallId: paywall.id,
        email: EMAIL,
        subscriptionId,
        cancellationReason,
      }),
    access,
  }
}

/** The owner's page, which is never opened. */
const LANDING = 'http://127.0.0.1/thanks'
