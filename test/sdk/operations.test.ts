import { readFileSync } from 'node:fs'
import { Paywall } from 'paywall-billing-sdk'
import { expect, test } from 'vitest'
import * as z from 'zod'

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
})
const { paths } = Document.parse(
  JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8')),
)

/** What browsers are sent to, what processors call, and what a user's own browser does. */
const NOT_AN_OWNERS = [
  'checkoutReturn',
  'signedReturn',
  'processorWebhook',
  'sendSignInCode',
  'giveTokens',
  'endSession',
  'findPaywall',
]

const isSamePath = (described: string, path: string) =>
  new RegExp(`^${described.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)

test('there is a method for each operation of an owner that the API’s document has', async () => {
  const called: string[] = []
  const paywall = new Paywall({
    key: 'pk_test_1',
    paywall: '1001',
    baseUrl: 'https://service.example',
    fetch: async (request) => {
      const { method, url } = request as Request
      const { pathname } = new URL(url)
      const [, operations] = Object.entries(paths).find(([path]) => isSamePath(path, pathname)) ?? []
      called.push(operations?.[method.toLowerCase()]?.operationId ?? `${method} ${pathname}`)
      return Response.json({ prices: [], balances: [], purchases: [] })
    },
  })
  const who = { email: 'ann@example.com' }
  await paywall.bootstrap()
  await paywall.user(who)
  await paywall.checkout({ ...who, price: `price_${'0'.repeat(24)}` })
  await paywall.cancel({ ...who, subscriptionId: 's', reason: 'r' })
  await paywall.portal(who)
  await paywall.credit(who, 'standard', 1)
  await paywall.debit(who, 'standard', 1)
  await paywall.withdraw({ tokens: 1 })
  await paywall.ticket({ subject: 'subject', content: 'content' })
  await paywall.signIn(who)
  const described = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map((each) => each.operationId),
  )
  expect([...new Set(called), ...NOT_AN_OWNERS].toSorted()).toEqual(described.toSorted())
})
