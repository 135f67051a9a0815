import { expect, test } from 'vitest'
import { PRICES } from './emulator/fixture.ts'
import { startAdapter } from './fixture.ts'

const CODE = { promotion_code: 'SAVE20' }

test.each([
  ['a coupon reduces the charge', {}, true],
  ['the same with promotion_codes', { promotion_codes: true }, true],
  ['no coupon can be entered with promotion_codes: false', { promotion_codes: false }, false],
])('%s', async (_, options, isReduced) => {
  const { emulator, checkout, readSnapshot } = await startAdapter()
  await emulator.setPromotionCodes('1001', { SAVE20: 20 })
  const price = PRICES.lifetime
  const { url, page } = await checkout(price, 'pay', { options }, CODE)
  expect((await (await fetch(url)).text()).includes('Promotion code')).toBe(isReduced)
  const { charged } = (await readSnapshot(page))!
  expect(charged).toBe(isReduced ? price.amount * 0.8 : price.amount)
})
