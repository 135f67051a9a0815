import { describe, expect, test } from 'vitest'
import { startSelling } from './selling.ts'

// The customer changes the plan in Stripe's portal: at once, with the next invoice, or by a schedule at the end of the period.

const subscription = (id: string) => ({ kind: 'subscription', id }) as const

test('a change that is paid at once is covered, also after the next renewal', async () => {
  const { emulator, subscribe, look } = await startSelling()
  const id = await subscribe()
  const before = await look(subscription(id))
  await emulator.changePlan(id, 'price_pro')
  const changed = { processorPrice: 'price_pro', unitAmount: 1999, priceCovered: true, startedAt: before?.startedAt }
  expect(await look(subscription(id))).toMatchObject({ ...changed, charged: null })
  await emulator.renew(id)
  expect(await look(subscription(id))).toMatchObject(changed)
})

describe('a schedule that manages the subscription', () => {
  async function scheduled() {
    const selling = await startSelling()
    const id = await selling.subscribe()
    await selling.emulator.schedulePlan(id, 'price_pro')
    return { ...selling, id }
  }

  test('changes nothing until the end of the period', async () => {
    const { emulator, look, id } = await scheduled()
    expect(await look(subscription(id))).toMatchObject({ processorPrice: 'price_month', priceCovered: true })
    await emulator.renew(id)
    expect(await look(subscription(id))).toMatchObject({ processorPrice: 'price_pro', priceCovered: true })
  })

  test('does not prevent the cancellation of the subscription', async () => {
    const { adapter, look, id, passDays } = await scheduled()
    const cancellation = await adapter.cancelAtPeriodEnd(id, 'too expensive')
    expect(cancellation).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    expect(await look(subscription(id))).toMatchObject({ cancelAtPeriodEnd: true, processorPrice: 'price_month' })
    await passDays(40)
    expect(await look(subscription(id))).toMatchObject({ status: 'canceled' })
  })

  test.each(['cancelAtPeriodEnd', 'stopCharging', 'endNow'] as const)(
    '%s survives a crash at any point, and works with two callers',
    async (ending) => {
      async function crashAfter(calls: number) {
        const { adapter, look, id, passDays, line } = await scheduled()
        let left = calls
        line.send = async (input, init) => {
          if (left-- > 0) return fetch(input, init)
          throw new Error('the Worker is gone')
        }
        const isDone = await adapter[ending]!(id, 'too expensive').then(
          () => true,
          () => false,
        )
        line.send = fetch
        await Promise.all([adapter[ending]!(id, 'too expensive'), adapter[ending]!(id, 'too expensive')])
        await passDays(40)
        expect(await look(subscription(id))).toMatchObject({ status: 'canceled', processorPrice: 'price_month' })
        return isDone
      }
      const done = await Promise.all(Array.from({ length: 12 }, (_, calls) => crashAfter(calls)))
      expect([done.at(0), done.at(-1)]).toEqual([false, true])
    },
  )
})
