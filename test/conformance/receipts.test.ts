import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { type Browse, signIn } from './browsing.ts'
import { type Buyer, buy, causeAtProcessor } from './buyer.ts'
import { paymentEvents } from './money.ts'
import { ODD_REPLIES, withOddReplies } from './odd-replies.ts'
import { withFault } from './outage.ts'
import { type Shop, useShops } from './shop.ts'

// The receipts of payments, which buyers open from the account page.

const getShop = useShops()

/** The links to receipts on the account page. */
async function listReceipts({ shop: { paywall } }: Buyer, browse: Browse): Promise<string[]> {
  const { text } = await browse(`/p/${paywall.id}/account`)
  expect(text).toContain('$9.99')
  return [...text.matchAll(/href="([^"]*\/account\/receipt\/[^"]*)"/g)].map(([, href]) => href!)
}

/** A document of another party is never shown as a page of ours. */
const DOWNLOAD = {
  'content-type': 'application/pdf',
  'content-disposition': 'attachment; filename="receipt.pdf"',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
}

/** Follows a link to a receipt, also by the page that loads again while the processor makes the document. */
async function openReceipt(link: string, browse: Browse): Promise<{ status: number; text: string }> {
  const { status, text, headers } = await browse(link)
  if (status === 200) {
    expect(headers).toMatchObject(DOWNLOAD)
    return { status, text }
  }
  if (status === 303) {
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const document = await fetch(headers.location ?? '')
    return { status: document.status, text: await document.text() }
  }
  const [, next] = /http-equiv="refresh" content="\d+; url=([^"]+)"/.exec(text) ?? []
  if (next === undefined) throw new Error(`${link} leads to no receipt: ${status}`)
  return openReceipt(next, browse)
}

/** A buyer who has paid twice, with the ids of these payments and the links to receipts on the account page. */
async function payTwice(shop: Shop) {
  const buyer = await buy(shop)
  await causeAtProcessor(buyer, shop.account.renew)
  const paid = (await paymentEvents(buyer)).map(({ id }) => String(id))
  expect(paid).toHaveLength(2)
  const browse = await signIn(buyer)
  return { buyer, paid, browse, links: await listReceipts(buyer, browse) }
}

/** Opens a receipt with a session whose access token is stale. */
async function expectRefreshedSession(buyer: Buyer, id: string | undefined): Promise<void> {
  const stale = await signIn(buyer, { isStale: true })
  const { headers } = await stale(`/p/${buyer.shop.paywall.id}/account/receipt/${id}`)
  expect(headers['set-cookie'], 'the refreshed session is kept').toContain('paywall_refresh=')
}

const HAVE_RECEIPTS = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.receipts !== 'none')

test.each(PROCESSOR_NAMES.filter((name) => !HAVE_RECEIPTS.includes(name)))(
  '%s, which has no receipts: the account links none',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const { buyer, paid, browse, links } = await payTwice(shop)
    await expectRefreshedSession(buyer, paid[0])
    expect(links).toEqual([])
    expect(await browse(`/p/${shop.paywall.id}/account/receipt/${paid[0]}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining('There is no receipt for this payment'),
    })
  },
)

describe.each(HAVE_RECEIPTS)('%s', (acquiring) => {
  test('the account links the receipts of a first payment and of a renewal', async () => {
    const shop = getShop(acquiring)
    const { buyer, paid, browse, links } = await payTwice(shop)
    await expectRefreshedSession(buyer, paid[0])
    expect(links.toSorted()).toEqual(paid.map((id) => `/p/${shop.paywall.id}/account/receipt/${id}`).toSorted())
    for (const link of links) {
      const { status, text } = await openReceipt(link, browse)
      expect(status).toBe(200)
      expect(text).toContain('$9.99')
    }
  })

  test('a one-time purchase has a receipt', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'lifetime')
    const [paid] = await paymentEvents(buyer)
    const link = `/p/${shop.paywall.id}/account/receipt/${paid?.id}`
    expect(await openReceipt(link, await signIn(buyer))).toEqual({ status: 200, text: expect.stringContaining('$49') })
  })

  test('a page says why a receipt cannot be opened, and the account is unchanged', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const browse = await signIn(buyer)
    const [link = ''] = await listReceipts(buyer, browse)
    const unavailable = 'The payment service is not responding'
    for (const [name, odd] of Object.entries(ODD_REPLIES)) {
      const { result } = await withOddReplies(shop, odd, () => browse(link))
      expect(result, name).toMatchObject({ status: 502, text: expect.stringContaining(unavailable) })
    }
    for (const [fault, text] of [
      [401, 'The payment service rejected this request'],
      [429, unavailable],
      ['cut', unavailable],
    ] as const) {
      const { result } = await withFault(shop, { fault, from: 0 }, () => browse(link))
      expect(result, String(fault)).toMatchObject({ status: 502, text: expect.stringContaining(text) })
    }
    expect(await listReceipts(buyer, browse)).toEqual([link])
    expect(await openReceipt(link, browse)).toMatchObject({ status: 200 })
  })
})
