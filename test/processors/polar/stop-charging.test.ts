import { describe, expect, test } from 'vitest'
import { openShop } from './shop.ts'

type Shop = Awaited<ReturnType<typeof openShop>>

describe('a buyer who must never be charged again', () => {
  const stopped = async (prepare: (shop: Shop, id: string) => Promise<unknown>, order = {}) => {
    const shop = await openShop()
    const { reference, purchase } = await shop.buy(order)
    await prepare(shop, reference.id)
    await shop.adapter.stopCharging?.(reference.id)
    const seen = await shop.purchase(reference)
    // A crash may come between the call and our record of it, and two callers may call at once.
    await Promise.all([shop.adapter.stopCharging?.(reference.id), shop.adapter.stopCharging?.(reference.id)])
    expect(await shop.purchase(reference)).toEqual(seen)
    const paid = (await shop.events()).filter(({ payment }) => payment?.kind === 'succeeded').length
    await shop.moveTo(new Date(purchase.currentPeriodEnd!.getTime() + 60 * 86_400_000))
    expect((await shop.events()).filter(({ payment }) => payment?.kind === 'succeeded')).toEqual([])
    return { shop, reference, seen, paid, end: purchase.currentPeriodEnd }
  }

  test('and is paid up keeps the paid period', async () => {
    const { seen, end } = await stopped(async () => undefined)
    expect(seen).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, cancelAt: end })
  })

  test('and is on trial keeps the trial', async () => {
    const { seen, end } = await stopped(async () => undefined, { trialDays: 3 })
    expect(seen).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true, cancelAt: end })
  })

  test('and has already cancelled ends as scheduled', async () => {
    const { seen } = await stopped((shop, id) => shop.adapter.cancelAtPeriodEnd(id, 'Too dear'))
    expect(seen).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
  })

  test.each<[string, (shop: Shop, id: string) => Promise<unknown>]>([
    ['is past due', (shop, id) => shop.emulator.renew(id, { fail: true })],
    [
      'is past due, and to end with its period',
      async (shop, id) => {
        await shop.emulator.renew(id, { fail: true })
        await shop.adapter.cancelAtPeriodEnd(id, '')
      },
    ],
    ['is paused', (shop, id) => shop.emulator.pause(id)],
    ['has ended', (shop, id) => shop.emulator.end(id)],
  ])('and %s ends at once, and what is owed is void', async (_, prepare) => {
    const { shop, reference, seen } = await stopped(prepare)
    expect(seen).toMatchObject({ status: 'canceled' })
    const { items } = await shop.polar.orders.list({ subscription_id: reference.id })
    expect(items.filter(({ status }) => status === 'pending')).toEqual([])
  })

  test('and undoes a scheduled end at that moment is asked for again', async () => {
    const shop = await openShop()
    const { reference } = await shop.buy()
    await shop.adapter.cancelAtPeriodEnd(reference.id, '')
    shop.emulator.onCall = async (_, run) => {
      const refusal = await run()
      shop.emulator.onCall = undefined
      await shop.emulator.portalUndo(reference.id)
      return refusal
    }
    await expect(shop.adapter.stopCharging?.(reference.id)).rejects.toMatchObject({ kind: 'unavailable' })
    await shop.adapter.stopCharging?.(reference.id)
    expect(await shop.purchase(reference)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
  })

  test('endNow also ends a paid up subscription, and may be repeated', async () => {
    const shop = await openShop()
    const { reference } = await shop.buy()
    await Promise.all([shop.adapter.endNow?.(reference.id), shop.adapter.endNow?.(reference.id)])
    await shop.adapter.endNow?.(reference.id)
    expect(await shop.purchase(reference)).toMatchObject({ status: 'canceled' })
  })
})
