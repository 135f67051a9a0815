import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import { mollieProcessor } from '../../support/mollie-purchase.ts'
import { paywallFile } from '../../support/paywall-file.ts'
import { type Subscriber, subscribe } from '../../support/subscriber.ts'
import { type Tenant, tenant } from '../../support/tenants.ts'
import { useTestWorld } from '../../support/world.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

let ours: Tenant
let live: Tenant

/** The one account that the owner has at Stripe. */
const atStripe = {
  acquiring: 'stripe',
  credentials: { secretKey: `sk_test_${hex(24)}`, webhookSecret: `whsec_${hex(24)}` },
}

const world = useTestWorld({ file: { paywalls: [{ processor: mollieProcessor() }, { processor: atStripe }] } })

beforeAll(async () => {
  ours = tenant(world.file)
  const credentials = { apiKey: 'env:MOLLIE_KEY', webhookSecret: 'env:MOLLIE_WEBHOOK' }
  const file = await paywallFile({
    keys: [{ name: 'backend', secret: 'env:API_KEY' }],
    paywall: { test: false, processor: mollieProcessor(credentials) },
    environment: { API_KEY: `pk_live_${hex(32)}`, MOLLIE_KEY: `live_${hex(15)}`, MOLLIE_WEBHOOK: hex(16) },
  })
  live = tenant(file)
  await world.apply(file)
})

const asOwner = ({ paywall, key }: Tenant, { email }: Subscriber) => portal(paywall.id, { key, body: { email } })
const asUser = ({ paywall }: Tenant, { token }: Subscriber) => portal(paywall.id, { token })
const portal = (paywallId: string, options: object) =>
  call(world, `/api/v1/paywall/${paywallId}/get-customer-portal`, { method: 'POST', ...options })

// Contract section 7: get-customer-portal 403 `{isTest: "1" or "0"}`, processor has no hosted portal.
test.each<[string, () => Tenant, '0' | '1']>([
  ['a test paywall', () => ours, '1'],
  ['a live paywall', () => live, '0'],
])(
  'returns 403 portal_unavailable with isTest for a subscription bought through Mollie on %s',
  async (_, on, isTest) => {
    const subscriber = await subscribe(world, on())
    const calls = world.mollie.calls.length
    const refused = { status: 403, body: { error: 'portal_unavailable', isTest } }
    expect(await asOwner(on(), subscriber)).toMatchObject(refused)
    expect(await asUser(on(), subscriber)).toMatchObject(refused)
    expect(world.mollie.calls).toHaveLength(calls)
  },
)
