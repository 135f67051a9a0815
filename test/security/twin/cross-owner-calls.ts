import { PROCESSOR_NAMES } from '../../../lib/processors/processor-name.ts'
import { type Call, call } from '../../support/call.ts'
import { getPriceId, startCheckout } from '../../support/checkout.ts'
import { endSession, refresh, requestCode, requestTokens, wrong } from '../../support/sign-in.ts'
import { cancel } from '../../support/subscriber.ts'
import { at } from '../../support/tenants.ts'
import { MESSAGE } from '../../support/tickets.ts'
import type { Owner } from './owner.ts'
import { BOB, DORA } from './people.ts'

/** Ids of another owner's rows that a caller may send. */
export interface Named {
  userId: string
  purchaseId: string
  checkoutId: string
  subscriptionId: string
  grantId: string
}

type Place = Owner['shops']['stripe']
/** A call with the owner's key or a user's token, on a paywall of its own or of the other owner. */
type Reach = (me: Owner, place: Place, caller: Call, other: Owner, named: Named) => Promise<unknown>

/** A call of every operation of the API with the other owner's ids. */
export const CROSS_OWNER_CALLS: Record<string, Reach> = {
  bootstrap: ({ world }, place, caller) => call(world, at(place, 'bootstrap'), caller),
  findPaywall: ({ world }, { paywall }, caller) => call(world, `https://${paywall.domain}/api/v1/paywall`, caller),
  readUser: ({ world }, place, caller, _, { userId }) => call(world, at(place, `user?user_id=${userId}`), caller),
  startCheckout: async ({ world }, { paywall }, caller, other) => {
    for (const { paywall: sold } of [other.shops.stripe, { paywall }]) {
      const body = { email: DORA, priceId: getPriceId(sold, 'monthly'), userMeta: { taken: true } }
      await startCheckout(world, { ...caller, paywall, body })
    }
  },
  checkoutReturn: async ({ world }, { paywall }, caller, _, { checkoutId }) => {
    for (const outcome of ['success', 'error']) {
      await call(world, `https://${paywall.domain}/r/${checkoutId}/${outcome}`, caller)
    }
  },
  signedReturn: ({ world, shops }, _, caller, other, { subscriptionId }) =>
    call(
      world,
      `/return/freemius/${other.shops.freemius.paywall.id}?license_id=${subscriptionId}&signature=${shops.freemius.paywall.id}`,
      caller,
    ),
  cancelSubscription: async ({ world }, { paywall }, caller, _, { purchaseId, subscriptionId, userId }) => {
    for (const id of [purchaseId, subscriptionId]) {
      const body = { paywallId: paywall.id, userId, subscriptionId: id, cancellationReason: 'not mine' }
      await cancel(world, { ...caller, body })
    }
  },
  changePlan: async ({ world, shops }, place, caller, other, { purchaseId, subscriptionId, userId }) => {
    for (const id of [purchaseId, subscriptionId]) {
      for (const sold of [shops.stripe, other.shops.stripe]) {
        const body = { userId, subscriptionId: id, priceId: getPriceId(sold.paywall, 'yearly') }
        await call(world, at(place, 'change-plan'), { ...caller, body })
      }
    }
  },
  endPurchase: async ({ world }, place, caller, _, { purchaseId, subscriptionId }) => {
    for (const id of [purchaseId, subscriptionId]) {
      await call(world, at(place, `purchases/${id}/end`), { ...caller, body: { reason: 'not mine' } })
    }
  },
  refundPurchase: async ({ world }, place, caller, _, { purchaseId, subscriptionId }) => {
    for (const id of [purchaseId, subscriptionId]) {
      await call(world, at(place, `purchases/${id}/refund`), { ...caller, body: { amount: 1 } })
    }
  },
  getCustomerPortal: ({ world }, place, caller) =>
    call(world, at(place, 'get-customer-portal'), { ...caller, body: { email: DORA, userMeta: { taken: true } } }),
  changeBalance: async ({ world }, place, caller, _, { userId }) => {
    for (const who of [{ user_id: userId }, { email: BOB }]) {
      const body = { op: 'credit', amount: 1, type: 'standard', ...who }
      await call(world, at(place, 'balances'), { ...caller, body })
    }
  },
  createGrant: async ({ world, shops }, place, caller, other, { userId }) => {
    for (const who of [{ user_id: userId }, { email: BOB }]) {
      for (const sold of [shops.stripe, other.shops.stripe]) {
        const body = { ...who, price: getPriceId(sold.paywall, 'monthly'), days: 9, reason: 'Friend' }
        await call(world, at(place, 'grants'), { ...caller, body })
      }
    }
  },
  endGrant: async ({ world }, place, caller, _, { grantId }) => {
    await call(world, at(place, `grants/${grantId}/end`), { ...caller, body: { reason: 'not mine' } })
  },
  withdrawTokens: ({ world }, { paywall }, caller, _, { userId }) =>
    call(world, '/api/v1/withdraw-tokens', { ...caller, body: { paywall_id: paywall.id, user_id: userId, tokens: 1 } }),
  openTicket: ({ world }, place, caller) => call(world, at(place, 'support/ticket'), { ...caller, body: MESSAGE }),
  listEvents: async ({ world }, _, caller, other) => {
    const { body } = await call(world, '/api/v1/events?limit=1', caller)
    for (const host of ['', `https://${other.shops.stripe.paywall.domain}`]) {
      await call(world, `${host}/api/v1/events?after=${Object(body).next_cursor ?? '0.0'}`, caller)
    }
  },
  sendSignInCode: ({ world, shops }, _, caller) =>
    requestCode(world, BOB, { ...caller, paywallId: shops.stripe.paywall.id }),
  issueTokens: async ({ world, shops }, _, caller, other) => {
    const paywallId = shops.stripe.paywall.id
    await refresh(world, other.sessions[DORA]!.refreshToken, { ...caller, paywallId })
    for (const grant of [wrong(other.grant!), other.grant!]) await requestTokens(world, grant, { ...caller, paywallId })
    await requestTokens(world, { grant_type: 'anonymous' }, { ...caller, paywallId })
  },
  endSession: ({ world, shops }, _, caller, other) =>
    endSession(world, other.sessions[DORA]!.refreshToken, { ...caller, paywallId: shops.stripe.paywall.id }),
  exchangeTokens: async ({ world }, place, caller, _, { userId }) => {
    for (const body of [{ email: BOB }, { external_id: userId }]) {
      await call(world, at(place, 'sign-in/exchange'), { ...caller, body })
    }
  },
  processorWebhook: async ({ world, shops }, place, { key }, other) => {
    if (place !== shops.stripe || !key) return // it depends on neither the paywall nor the caller: once is enough

    // Signed with the caller's own valid credentials, and sent to the other owner's webhook URL.
    for (const acquiring of PROCESSOR_NAMES) {
      const { driver, paywall, emulator } = shops[acquiring]
      const events = emulator.events.slice(-10)
      for (const event of events) {
        const body = JSON.stringify(event).replaceAll(paywall.id, other.shops[acquiring].paywall.id)
        const headers = driver.sign({ id: event.id, body, at: new Date() }, paywall.processor.credentials as never)
        await call(world, `/webhooks/${acquiring}/${other.shops[acquiring].paywall.id}`, { headers, body })
      }
    }
  },
}
