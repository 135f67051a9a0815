import { describe, expect, test } from 'vitest'
import { PRICES } from '../../emulators/freemius-fixture.ts'
import { startWing } from './fixture.ts'

type Wing = Awaited<ReturnType<typeof startWing>>
type Bought = Awaited<ReturnType<Wing['buy']>>

/** How often a subscription was charged, whatever came of it. */
const charges = async ({ freemius }: Wing, { bought }: Bought) =>
  (await freemius.api.user.retrievePayments(bought.customer ?? '')).length

const STATES: [string, (wing: Wing) => Promise<Bought>, { status: string; ends: 'at once' | 'with its period' }][] = [
  ['is paid up', (wing) => wing.buy(), { status: 'active', ends: 'with its period' }],
  ['is on trial', (wing) => wing.buy(PRICES.trial), { status: 'canceled', ends: 'at once' }],
  [
    'is past due',
    async (wing) => {
      const sold = await wing.buy()
      await wing.emulator.declineCharges(sold.bought.customer ?? '')
      await wing.pass(31.1)
      await wing.emulator.declineCharges(sold.bought.customer ?? '', false)
      return sold
    },
    { status: 'canceled', ends: 'at once' },
  ],
  [
    'is cancelled already',
    async (wing) => {
      const sold = await wing.buy()
      await wing.adapter.cancelAtPeriodEnd(sold.license.id, 'enough')
      return sold
    },
    { status: 'active', ends: 'with its period' },
  ],
]

describe.each(STATES)('a subscription that %s', (_, begin, { status }) => {
  test('is never charged again, however often that is asked for', async () => {
    const wing = await startWing()
    const sold = await begin(wing)
    const before = await charges(wing, sold)
    await Promise.all([wing.adapter.stopCharging?.(sold.license.id), wing.adapter.stopCharging?.(sold.license.id)])
    await wing.adapter.stopCharging?.(sold.license.id)
    expect(await wing.look(sold.license)).toMatchObject({ status })
    await wing.pass(70)
    expect(await charges(wing, sold)).toBe(before)
    expect(await wing.look(sold.license)).toMatchObject({ status: 'canceled' })
  })

  test('ends at once, however often that is asked for', async () => {
    const wing = await startWing()
    const sold = await begin(wing)
    const before = await charges(wing, sold)
    await Promise.all([wing.adapter.endNow?.(sold.license.id), wing.adapter.endNow?.(sold.license.id)])
    await wing.adapter.endNow?.(sold.license.id)
    expect(await wing.look(sold.license)).toMatchObject({ status: 'canceled' })
    await wing.pass(70)
    expect(await charges(wing, sold)).toBe(before)
  })
})

test.each([0, 1, 2, 3])('a crash after %i calls is made up for by a repeat', async (most) => {
  const wing = await startWing()
  const sold = await wing.buy()
  let calls = 0
  const dying = wing.adapterOf(true, async (...call) => {
    if (calls++ >= most) throw new Error('the Worker is gone')
    return fetch(...call)
  })
  await expect(dying.endNow?.(sold.license.id)).rejects.toThrow()
  await wing.adapter.endNow?.(sold.license.id)
  expect(await wing.look(sold.license)).toMatchObject({ status: 'canceled' })
  await wing.pass(70)
  expect(await charges(wing, sold)).toBe(1)
})

test('what Freemius accepts and does not do is not taken for done', async () => {
  const wing = await startWing()
  const { license } = await wing.buy()
  const deaf = wing.adapterOf(true, async (...call) =>
    call[1]?.method === 'DELETE' ? Response.json({}) : fetch(...call),
  )
  await expect(deaf.stopCharging?.(license.id)).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(deaf.endNow?.(license.id)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a licence for ever is charged nothing, and can be ended', async () => {
  const wing = await startWing()
  const { bought, page } = await wing.checkout(PRICES.lifetime).then(async ({ page }) => ({
    page,
    bought: await wing.look(page),
  }))
  const reference = { kind: 'payment' as const, id: bought?.processorId ?? '' }
  await wing.adapter.stopCharging?.(reference.id)
  expect(await wing.look(page)).toMatchObject({ status: 'active' })
  await wing.adapter.endNow?.(reference.id)
  expect(await wing.look(reference)).toMatchObject({ status: 'canceled' })
})
