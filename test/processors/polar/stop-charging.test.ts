import { describe, expect, test } from 'vitest'
import { openShop } from './shop.ts'

type Shop = Awaited<ReturnType<typeof openShop>>

describe('stopping all charges', () => {
  const stopAfter = async (prepare: (shop: Shop, id: string) => Promise<unknown>, order = {}) => {
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

  test('of a paid up subscription keeps the paid period', async () => {
    const { seen, end } = await stopAfter(async () => undefined)
    expect(seen).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, cancelAt: end })
  })

  test('of a trial keeps the trial', async () => {
    const { seen, end } = await stopAfter(async () => undefined, { trialDays: 3 })
    expect(seen).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true, cancelAt: end })
  })

  test('of a subscription that is already cancelled keeps the scheduled end', async () => {
    const { seen } = await stopAfter((shop, id) => shop.adapter.cancelAtPeriodEnd(id, 'Too dear'))
    expect(seen).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
  })

  test.each<[string, (shop: Shop, id: string) => Promise<unknown>]>([
    ['is past due', (shop, id) => shop.emulator.renew(id, { fail: true })],
    [
      'is past due and scheduled to end',
      async (shop, id) => {
        await shop.emulator.renew(id, { fail: true })
        await shop.adapter.cancelAtPeriodEnd(id, '')
      },
    ],
    ['is paused', (shop, id) => shop.emulator.pause(id)],
    ['has ended', (shop, id) => shop.emulator.end(id)],
  ])('of a subscription that %s ends it at once, and voids what is owed', async (_, prepare) => {
    const { shop, reference, seen } = await stopAfter(prepare)
    expect(seen).toMatchObject({ status: 'canceled' })
    const { items } = await shop.polar.orders.list({ subscription_id: reference.id })
    expect(items.filter(({ status }) => status === 'pending')).toEqual([])
  })

  test('fails if the buyer undoes a scheduled end at that moment, and can be repeated', async () => {
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

  test('with endNow ends a paid up subscription at once, and may be repeated', async () => {
    const shop = await openShop()
    const { reference } = await shop.buy()
    await Promise.all([shop.adapter.endNow?.(reference.id), shop.adapter.endNow?.(reference.id)])
    await shop.adapter.endNow?.(reference.id)
    expect(await shop.purchase(reference)).toMatchObject({ status: 'canceled' })
  })
})
