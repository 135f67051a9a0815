import { Client, SignatureValidator } from 'mollie-api-typescript'
import * as models from 'mollie-api-typescript/models'
import * as z from 'zod'
import type { MollieAccount } from '../../../../dev/emulators/mollie/accounts.ts'
import type { MollieEmulator } from '../../../../dev/emulators/mollie/emulator.ts'
import { startMollieEmulator } from '../../../../dev/emulators/mollie/emulator.ts'
import { receiveWebhooks, startTestEmulator, type TestEmulatorOptions } from '../../emulator-fixture.ts'

export const ACME = {
  paywallId: '1001',
  apiKey: 'test_acme_0123456789',
  webhookSecret: 'whsec_acme',
} satisfies MollieAccount

/** Starts an emulator that runs until the test ends, with the official SDK pointed at it. */
export async function startMollie({ accounts = [ACME], ...options }: TestEmulatorOptions<MollieAccount> = {}) {
  const emulator = await startTestEmulator(startMollieEmulator, accounts, options)
  return { emulator, mollie: sdk(emulator) }
}

export const sdk = (emulator: MollieEmulator, apiKey = ACME.apiKey) =>
  new Client({ security: { apiKey }, serverURL: emulator.url, retryConfig: { strategy: 'none' } })

/** A first payment of 9.99 EUR; `more` adds to it. */
export const order = (more: Partial<models.PaymentRequest> = {}): models.PaymentRequest => ({
  amount: { currency: 'EUR', value: '9.99' },
  description: 'Acme Pro',
  redirectUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/sorry',
  ...more,
})

export const subscriptionRequest = (more: Partial<models.SubscriptionRequest> = {}): models.SubscriptionRequest => ({
  amount: { currency: 'EUR', value: '9.99' },
  interval: '1 month',
  description: 'Acme Pro, purchase 1',
  metadata: { purchase_id: '1' },
  ...more,
})

/** Presses a button of a payment's hosted page. */
export const press = (payment: models.PaymentResponse, action: string) =>
  fetch(payment.links.checkout?.href ?? '', {
    method: 'POST',
    body: new URLSearchParams({ action }),
    redirect: 'manual',
  })

/** A customer who has made a first payment, and so has a mandate. */
export async function firstPayment(mollie: Client, more: Partial<models.PaymentRequest> = {}) {
  const { id: customerId } = await mollie.customers.create({ entityCustomer: { email: 'ada@example.com' } })
  const opened = await mollie.payments.create({
    paymentRequest: order({ sequenceType: 'first', customerId, ...more }),
  })
  await press(opened, 'pay')
  return { customerId, payment: await mollie.payments.get({ paymentId: opened.id }) }
}

export async function subscribe(mollie: Client, more: Partial<models.SubscriptionRequest> = {}) {
  const { customerId, payment } = await firstPayment(mollie)
  const subscription = await mollie.subscriptions.create({ customerId, subscriptionRequest: subscriptionRequest(more) })
  const subscriptionId = subscription.id
  return {
    customerId,
    payment,
    subscription,
    fetched: () => mollie.subscriptions.get({ customerId, subscriptionId }),
    payments: async () => {
      const page = await mollie.subscriptions.listPayments({ customerId, subscriptionId })
      return page.result.embedded.payments ?? []
    },
  }
}

const Entity = z.looseObject({ id: z.string(), status: z.string().optional() })
const Body = z.object({ _embedded: z.object({ entity: Entity }) })

/** The entity of a delivery as it was sent: the SDK parses it as the first type that matches. */
export const getEntity = ({ body }: { body: string }) => Body.parse(JSON.parse(body))._embedded.entity

/** A service that receives webhooks, and verifies each with its paywall's secret: see `receiveWebhooks`. */
export async function startReceiver(accounts: MollieAccount[] = [ACME], answers: number[] = []) {
  const { url, deliveries } = await receiveWebhooks(async ({ paywallId, body, headers }) => {
    const secret = accounts.find((account) => account.paywallId === paywallId)?.webhookSecret ?? ''
    const signature = headers[SignatureValidator.SIGNATURE_HEADER.toLowerCase()]
    const parsed = models.entityWebhookEventFromJSON(body)
    if (!parsed.ok) throw parsed.error
    if (!(await SignatureValidator.validate(body, secret, signature))) throw new Error('there is no signature')
    return parsed.value
  }, answers)
  return { url, deliveries, types: () => deliveries.map(({ event }) => event.webhookEventTypes) }
}
