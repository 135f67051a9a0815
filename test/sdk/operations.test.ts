import { readFileSync } from 'node:fs'
import { Paywall } from 'paywall-billing-sdk'
import { createPaywall } from 'paywall-billing-sdk/browser'
import { expect, test } from 'vitest'
import * as z from 'zod'

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
})
const { paths } = Document.parse(
  JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8')),
)

/** Operations without a method: processors redirect browsers to the first two, and send webhooks to the third. */
const PROCESSORS_ONLY = ['checkoutReturn', 'signedReturn', 'processorWebhook']

const isSamePath = (described: string, path: string) =>
  new RegExp(`^${described.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)

/** A `fetch` that records the operation id of each call. */
function recordingFetch() {
  const called = new Set<string>()
  const fetch = async (request: string | URL | Request) => {
    const { method, url } = request as Request
    const { pathname } = new URL(url)
    const [, operations] = Object.entries(paths).find(([path]) => isSamePath(path, pathname)) ?? []
    called.add(operations?.[method.toLowerCase()]?.operationId ?? `${method} ${pathname}`)
    const user = { id: '1001', prices: [], balances: [], purchases: [], subscription: { id: 's' } }
    // Pending: otherwise the browser would wait for the changed plan.
    return Response.json({
      ...user,
      pending: true,
      access_token: 'a',
      refresh_token: 'r',
      expires_in: 3600,
      challenge: 'q',
    })
  }
  return { called, fetch }
}

const identity = { email: 'ann@example.com' }
const price = `price_${'0'.repeat(24)}`

/** Calls every method of the server SDK. */
async function callServer(): Promise<Set<string>> {
  const { called, fetch } = recordingFetch()
  const paywall = new Paywall({ key: 'pk_test_1', paywall: '1001', baseUrl: 'https://service.example', fetch })
  await paywall.bootstrap()
  await paywall.user(identity)
  await paywall.checkout({ ...identity, price })
  await paywall.cancel({ ...identity, subscriptionId: 's', reason: 'r' })
  await paywall.previewPlanChange({ ...identity, price })
  await paywall.changePlan({ ...identity, price })
  await paywall.portal(identity)
  await paywall.credit(identity, 'standard', 1)
  await paywall.debit(identity, 'standard', 1)
  await paywall.withdraw({ tokens: 1 })
  await paywall.ticket({ subject: 'subject', content: 'content' })
  await paywall.signIn(identity)
  return called
}

/** Calls every method of the browser SDK. */
async function callBrowser(): Promise<Set<string>> {
  const { called, fetch } = recordingFetch()
  const paywall = await createPaywall('https://pay.example', { fetch })
  await paywall.bootstrap()
  await paywall.open(price)
  await paywall.signIn(identity.email)
  await paywall.confirm('123456')
  await paywall.refresh()
  await paywall.cancel({ subscriptionId: 's', reason: 'r' })
  await paywall.previewPlanChange({ price })
  await paywall.changePlan({ price })
  await paywall.portal()
  await paywall.ticket({ subject: 'subject', content: 'content' })
  await paywall.signOut()
  return called
}

const described = Object.values(paths).flatMap((operations) =>
  Object.values(operations).map((each) => each.operationId),
)

test('each operation in the OpenAPI document has a method in the server or browser SDK', async () => {
  const called = [...(await callServer()), ...(await callBrowser()), ...PROCESSORS_ONLY]
  expect([...new Set(called)].toSorted()).toEqual(described.toSorted())
})
