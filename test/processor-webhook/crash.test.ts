import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { Postgres } from '../../dev/world/database/postgres.ts'
import { preparedDatabase, startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { advanceClock, expectStoredAsAtProcessor, open, readPurchase, readTokens } from '../conformance/buyer.ts'
import { paywallAt, type Shop, shopAt } from '../conformance/shop.ts'
import { heldWebhooks, sendWebhook } from '../conformance/webhook.ts'
import { press } from '../support/checkout.ts'
import { deliverAfterCrash, ownerEvents } from '../support/owner-events.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let postgres: Postgres
let world: TestWorld

beforeAll(async () => {
  postgres = await startScratchPostgres()
  const databaseUrl = await preparedDatabase(postgres, 'pending', inject('databaseRolesKey'))
  world = await startTestWorld({ databaseUrl, file: { paywalls: PROCESSOR_NAMES.map(paywallAt) } })
})
afterAll(async () => {
  await world.close()
  await postgres.stop()
})

/** Counts the webhooks that are acknowledged although their purchase cannot be read: from then on only our database has them. */
async function countAcknowledged(shop: Shop, webhooks: Parameters<typeof sendWebhook>[1][]): Promise<number> {
  shop.emulator.onCall = async () => {
    throw new DroppedCall()
  }
  const replies = []
  for (const webhook of webhooks) replies.push(await sendWebhook(shop, webhook))
  shop.emulator.onCall = undefined
  return replies.filter(({ status }) => status === 200).length
}

/** Kills Postgres while a purchase is being stored. Returns the kill, which may outlast the statement, or null before it begins. */
function killWhileStoring(): () => Promise<void> | null {
  let kill: Promise<void> | null = null
  world.neon.onStatement = async ({ query }, run) => {
    if (kill || !query.includes('store_purchase')) return run()
    kill = postgres.kill()
    const [result] = await Promise.allSettled([run(), kill])
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  return () => kill
}

test.each(PROCESSOR_NAMES)(
  '%s: no event is lost if Postgres is killed between a webhook’s 2xx and the read that follows, and again while that is stored',
  async (acquiring) => {
    const paywall = world.file.paywalls.find(({ processor }) => processor.acquiring === acquiring)!
    const shop = shopAt(world, paywall, paywall)
    const buyer = await open(shop)
    const webhooks = await heldWebhooks(shop, () => press(buyer.checkoutUrl, 'pay'))
    expect(await countAcknowledged(shop, webhooks)).toBeGreaterThan(0)
    await postgres.kill()
    await postgres.ready()

    const kill = killWhileStoring()
    await world.clock.advance(paywall.id, '2m').catch(() => null)
    expect(kill()).not.toBeNull()
    await kill()
    await postgres.ready()
    await advanceClock(buyer, '2m')
    await deliverAfterCrash(world)
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active' })
    expect(await readTokens(buyer)).toBe(100)
    await expectStoredAsAtProcessor(buyer)
    const reported = (await ownerEvents(world, buyer.userId)).map(({ type }) => type)
    expect(reported.toSorted()).toEqual(['checkout.completed', 'payment.succeeded', 'subscription.created'])
  },
)
