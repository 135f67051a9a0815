import { describe, expect, test } from 'vitest'
import { Refused } from '../../dev/emulators/core/acts/refused.ts'
import { EmulatorError } from '../../dev/emulators/core/wire/emulator-error.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { randomNumbers, shuffled } from '../support/random.ts'
import { cancel } from '../support/subscriber.ts'
import { type Buyer, expectAsThere, hears, idOf, open, pay, purchaseOf, tokensOf } from './buyer.ts'
import { type Shop, useShops } from './shop.ts'
import { webhooksSince } from './webhook.ts'

/** How many lives there are for each processor. `LIVES=1000 SEED=7 npx vitest run test/conformance/random-lives.test.ts` plays others. */
const LIVES = Number(process.env.LIVES ?? (process.env.STORM ? 10 : 1))
const FIRST_SEED = Number(process.env.SEED ?? 1)

/** How many of the webhooks never come, and how many come twice. */
const LOST = 0.15
const TWICE = 0.5

const shopOf = useShops()

type Act = 'renew' | 'failCharge' | 'recover' | 'refund' | 'dispute' | 'cancel' | 'undo' | 'cancel here'
const ACTS: Act[] = ['renew', 'renew', 'failCharge', 'recover', 'refund', 'dispute', 'cancel', 'undo', 'cancel here']

/** Lets something happen. What cannot happen at that moment is refused there, and does not. */
async function happen(buyer: Buyer, act: Act): Promise<void> {
  const { there, world, paywall, key } = buyer.shop
  const here = { paywallId: paywall.id, userId: buyer.userId, cancellationReason: 'x' }
  try {
    if (act === 'cancel here') await cancel(world, { key, body: { ...here, subscriptionId: await idOf(buyer) } })
    else if (act === 'refund') await there.refund(await idOf(buyer), 100)
    else await there[act]?.(await idOf(buyer))
  } catch (error) {
    if (!(error instanceof EmulatorError || error instanceof Refused)) throw error
  }
}

/** Buys, and lives through a few acts of which nothing is heard. Gives its webhooks and what happened. */
async function live(shop: Shop, random: () => number): Promise<{ buyer: Buyer; eventIds: string[]; acts: Act[] }> {
  const since = webhooksSince(shop)
  const buyer = await open(shop)
  await pay(buyer)
  const acts = Array.from({ length: 2 + Math.floor(random() * 5) }, () => ACTS[Math.floor(random() * ACTS.length)]!)
  for (const act of acts) await happen(buyer, act)
  return { buyer, eventIds: since().map(({ id }) => id), acts }
}

/** Sends the webhooks of a life in any order, some twice, some never, three at a time. */
async function tell({ emulator }: Shop, eventIds: string[], random: () => number): Promise<void> {
  const sent = eventIds.flatMap((id) => (random() < LOST ? [] : random() < TWICE ? [id, id] : [id]))
  const rest = shuffled(sent, random).values()
  const one = async () => {
    for (const id of rest) for (const status of await emulator.resend(id)) expect(status).toBe(200)
  }
  await Promise.all([one(), one(), one()])
}

describe.each(ACQUIRING)('%s', (acquiring) => {
  test.concurrent(`${LIVES} random lives end as they are there`, { timeout: 3_600_000 }, async () => {
    const shop = shopOf(acquiring)
    for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed++) {
      const random = randomNumbers(seed)
      shop.emulator.holdWebhooks()
      const { buyer, eventIds, acts } = await live(shop, random)
      await tell(shop, eventIds, random)
      await shop.emulator.sendHeldWebhooks(() => [])
      await shop.world.clock.advance(shop.paywall.id, '8d')
      const life = `SEED=${seed}: ${acts.join(', ')}`
      await expectAsThere(buyer).catch((cause) => {
        throw new Error(life, { cause })
      })
      const heard = await hears(buyer)
      expect(
        heard.filter((name) => name === 'subscription.created'),
        life,
      ).toHaveLength(1)
      // A charge that failed may be made good by a retry of the processor's own.
      const renewals = acts.filter((act) => ['renew', 'recover', 'failCharge'].includes(act)).length
      expect(await tokensOf(buyer), life).toBeLessThanOrEqual(100 * (1 + renewals))
      expect(await purchaseOf(buyer), life).toMatchObject({ acquiring })
    }
  })
})
