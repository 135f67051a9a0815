import { expect, test } from 'vitest'
import { CHECKOUT_ID, startSelling } from './selling.ts'

// The customer changes the plan in Chargebee's portal: at once, or at the end of the term.

test('an immediate change is visible, and covered by its invoice', async () => {
  const { emulator, sell, purchase } = await startSelling()
  await sell()
  const before = await purchase()
  expect(before).toMatchObject({ processorPrice: 'pro-USD-monthly', priceCovered: true, charged: 999 })
  await emulator.changePlan(CHECKOUT_ID, 'max-USD-monthly')
  const changed = { processorPrice: 'max-USD-monthly', unitAmount: 1999, priceCovered: true, periodCovered: true }
  expect(await purchase()).toMatchObject({ ...changed, charged: 999, startedAt: before?.startedAt })
  await emulator.renew(CHECKOUT_ID)
  expect(await purchase()).toMatchObject(changed)
})

test('a scheduled change does not count until it takes effect', async () => {
  const { emulator, sell, purchase } = await startSelling()
  await sell()
  await emulator.schedulePlan(CHECKOUT_ID, 'max-USD-monthly')
  expect(await purchase()).toMatchObject({ processorPrice: 'pro-USD-monthly', priceCovered: true })
  await emulator.renew(CHECKOUT_ID)
  expect(await purchase()).toMatchObject({ processorPrice: 'max-USD-monthly', priceCovered: true })
})

test('versions never decrease', async () => {
  const { emulator, sell, purchase } = await startSelling()
  await sell()
  const versions: number[] = []
  const recordVersion = async () => versions.push((await purchase())?.versions?.[CHECKOUT_ID] ?? 0)
  await recordVersion()
  for (const change of [emulator.portalCancel, emulator.portalUndo, emulator.pause, emulator.resume]) {
    await change(CHECKOUT_ID)
    await recordVersion()
  }
  expect(versions).toEqual(versions.toSorted((one, other) => one - other))
  expect(new Set(versions).size).toBe(5)
})
