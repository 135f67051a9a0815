import { describe, expect, test } from 'vitest'
import { PRICES } from './emulator/fixture.ts'
import { startAdapter } from './fixture.ts'

type Setup = Awaited<ReturnType<typeof startAdapter>>
type Bought = Awaited<ReturnType<Setup['buy']>>

/** How often a subscription was charged, with any outcome. */
const charges = async ({ freemius }: Setup, { bought }: Bought) =>
  (await freemius.api.user.retrievePayments(bought.customer ?? '')).length

const STATES: [string, (setup: Setup) => Promise<Bought>, { status: string; ends: 'at once' | 'with its period' }][] = [
  ['is paid up', (setup) => setup.buy(), { status: 'active', ends: 'with its period' }],
  ['is on trial', (setup) => setup.buy(PRICES.trial), { status: 'canceled', ends: 'at once' }],
  [
    'is past due',
    async (setup) => {
      const sold = await setup.buy()
      await setup.emulator.declineCharges(sold.bought.customer ?? '')
      await setup.pass(31.1)
      await setup.emulator.declineCharges(sold.bought.customer ?? '', false)
      return sold
    },
    { status: 'canceled', ends: 'at once' },
  ],
  [
    'is already cancelled',
    async (setup) => {
      const sold = await setup.buy()
      await setup.adapter.cancelAtPeriodEnd(sold.license.id, 'enough')
      return sold
    },
    { status: 'active', ends: 'with its period' },
  ],
]

describe.each(STATES)('a subscription that %s', (_, begin, { status }) => {
  test('is never charged again, however often that is requested', async () => {
    const setup = await startAdapter()
    const sold = await begin(setup)
    const before = await charges(setup, sold)
    await Promise.all([setup.adapter.stopCharging?.(sold.license.id), setup.adapter.stopCharging?.(sold.license.id)])
    await setup.adapter.stopCharging?.(sold.license.id)
    expect(await setup.look(sold.license)).toMatchObject({ status })
    await setup.pass(70)
    expect(await charges(setup, sold)).toBe(before)
    expect(await setup.look(sold.license)).toMatchObject({ status: 'canceled' })
  })

  test('ends at once, however often that is requested', async () => {
    const setup = await startAdapter()
    const sold = await begin(setup)
    const before = await charges(setup, sold)
    await Promise.all([setup.adapter.endNow?.(sold.license.id), setup.adapter.endNow?.(sold.license.id)])
    await setup.adapter.endNow?.(sold.license.id)
    expect(await setup.look(sold.license)).toMatchObject({ status: 'canceled' })
    await setup.pass(70)
    expect(await charges(setup, sold)).toBe(before)
  })
})

test.each([0, 1, 2, 3])('a repeat completes an endNow that crashed after %i calls', async (maxCalls) => {
  const setup = await startAdapter()
  const sold = await setup.buy()
  let calls = 0
  const crashing = setup.getAdapter(true, async (...call) => {
    if (calls++ >= maxCalls) throw new Error('the Worker is gone')
    return fetch(...call)
  })
  await expect(crashing.endNow?.(sold.license.id)).rejects.toThrow()
  await setup.adapter.endNow?.(sold.license.id)
  expect(await setup.look(sold.license)).toMatchObject({ status: 'canceled' })
  await setup.pass(70)
  expect(await charges(setup, sold)).toBe(1)
})

test('a request that Freemius accepts and ignores is not considered done', async () => {
  const setup = await startAdapter()
  const { license } = await setup.buy()
  const ineffective = setup.getAdapter(true, async (...call) =>
    call[1]?.method === 'DELETE' ? Response.json({}) : fetch(...call),
  )
  await expect(ineffective.stopCharging?.(license.id)).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(ineffective.endNow?.(license.id)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a lifetime licence has no charges, and can be ended', async () => {
  const setup = await startAdapter()
  const { bought, page } = await setup.checkout(PRICES.lifetime).then(async ({ page }) => ({
    page,
    bought: await setup.look(page),
  }))
  const reference = { kind: 'payment' as const, id: bought?.processorId ?? '' }
  await setup.adapter.stopCharging?.(reference.id)
  expect(await setup.look(page)).toMatchObject({ status: 'active' })
  await setup.adapter.endNow?.(reference.id)
  expect(await setup.look(reference)).toMatchObject({ status: 'canceled' })
})
