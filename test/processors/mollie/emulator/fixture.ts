import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Client, SignatureValidator } from 'mollie-api-typescript'
import * as models from 'mollie-api-typescript/models'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { close, listen } from '../../../../dev/emulators/core/listen.ts'
import type { MollieAccount } from '../../../../dev/emulators/mollie/accounts.ts'
import type { MollieEmulator } from '../../../../dev/emulators/mollie/emulator.ts'
import { startMollieEmulator } from '../../../../dev/emulators/mollie/emulator.ts'

export const ACME = {
  paywallId: '1001',
  apiKey: 'test_acme_0123456789',
  webhookSecret: 'whsec_acme',
} satisfies MollieAccount

/** Starts an emulator that runs until the test ends, with the official SDK pointed at it. */
export async function startMollie(
  options: { accounts?: MollieAccount[]; serviceUrl?: string; statePath?: string } = {},
) {
  const { accounts = [ACME], serviceUrl = 'http://127.0.0.1:9', statePath } = options
  const emulator = await startMollieEmulator({
    port: 0,
    accounts: () => accounts,
    serviceUrl: () => serviceUrl,
    ...(statePath !== undefined && { statePath }),
  })
  onTestFinished(() => emulator.close())
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

export interface Delivery {
  paywallId: string
  event: models.EntityWebhookEvent
  body: string
}

const Entity = z.looseObject({ id: z.string(), status: z.string().optional() })
const Body = z.object({ _embedded: z.object({ entity: Entity }) })

/** The entity of a delivery as it was sent: the SDK parses it as the first type that matches. */
export const getEntity = ({ body }: Delivery) => Body.parse(JSON.parse(body))._embedded.entity

/**
 * A service that receives webhooks, and verifies the raw body of each with the official SDK and its paywall's secret.
 * `answers` are the statuses of the first responses; all later ones are 200.
 */
export async function startReceiver(accounts: MollieAccount[] = [ACME], answers: number[] = []) {
  const deliveries: Delivery[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const paywallId = request.url?.replace('/webhooks/mollie/', '') ?? ''
    const secret = accounts.find((account) => account.paywallId === paywallId)?.webhookSecret ?? ''
    const signature = request.headers[SignatureValidator.SIGNATURE_HEADER.toLowerCase()]
    const parsed = models.entityWebhookEventFromJSON(body)
    if (!parsed.ok) throw parsed.error
    if (!(await SignatureValidator.validate(body, secret, signature))) throw new Error('there is no signature')
    deliveries.push({ paywallId, event: parsed.value, body })
    response.writeHead(answers.shift() ?? 200).end()
  })
  const url = await listen(server, 0)
  onTestFinished(() => close(server))
  return { url, deliveries, types: () => deliveries.map(({ event }) => event.webhookEventTypes) }
}
