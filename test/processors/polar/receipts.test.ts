import { expect, test } from 'vitest'
import { signIn } from '../../conformance/browsing.ts'
import { type Buyer, buy } from '../../conformance/buyer.ts'
import { paymentEvents } from '../../conformance/money.ts'
import { useShops } from '../../conformance/shop.ts'

// Polar makes the receipt of an order when it is first requested, and answers 202 until then.

const getShop = useShops()

async function receiptPath(buyer: Buyer): Promise<string> {
  const [paid] = await paymentEvents(buyer)
  return `/p/${buyer.shop.paywall.id}/account/receipt/${paid?.id}`
}

test('while Polar makes a receipt, the page says so and loads again, in the same language', async () => {
  const buyer = await buy(getShop('polar'))
  const [browse, path] = [await signIn(buyer), await receiptPath(buyer)]
  const page = await browse(`${path}?locale=de`)
  expect(page).toMatchObject({ status: 409, text: expect.stringContaining('Ihr Beleg wird erstellt') })
  expect(page.text).toContain(`<meta http-equiv="refresh" content="3; url=${path}?locale=de&amp;attempt=2"/>`)
  expect(page.text).not.toContain('Erneut versuchen')
  expect(await browse(`${path}?locale=de&attempt=2`)).toMatchObject({ status: 303 })
})

test.each(['5', '6', '', 'x', '1e99'])('with attempt=%s the page does not load again by itself', async (attempt) => {
  const buyer = await buy(getShop('polar'))
  const page = await (await signIn(buyer))(`${await receiptPath(buyer)}?attempt=${attempt}`)
  expect(page).toMatchObject({ status: 409, text: expect.stringContaining('Your receipt is not ready yet') })
  expect(page.text).toContain('Try again')
  expect(page.text).not.toContain('http-equiv="refresh"')
})
