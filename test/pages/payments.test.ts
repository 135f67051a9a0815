import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { call } from '../support/call.ts'
import { buy } from '../support/checkout.ts'
import { fileOfBothModes, monthly, paywallFile } from '../support/paywall-file.ts'
import { getTenants, newTenant, type Person, person, type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

// The payments in a visitor's account, and who may open which receipt.

const world = useTestWorld()
/** Two test paywalls of one owner, and its live one. */
let here: Tenant
let beside: Tenant
let live: Tenant
/** Another owner's. */
let foreign: Tenant
/** Pays monthly `here`, and is a member `beside`, too. */
let payer: Person
/** Another member, who also pays. */
let other: Person
/** A user of the other owner. */
let stranger: Person

interface StoredPayment {
  id: string
  processor_payment: string
  purchase_id: string
}

let paid: StoredPayment
let paidByOther: StoredPayment

beforeAll(async () => {
  const file = await fileOfBothModes({ tests: 2 })
  await world.apply(file)
  ;[here, beside, live] = getTenants(file) as [Tenant, Tenant, Tenant]
  foreign = tenant(await paywallFile())
  await world.apply(foreign.file)
  ;[payer, other] = [await newPayer(), await newPayer()]
  await person(world, beside, payer.email)
  stranger = await person(world, foreign)
  ;[paid, paidByOther] = [await readPayment(payer), await readPayment(other)]
})

afterEach(() => {
  world.neon.onStatement = undefined
})

async function newPayer(): Promise<Person> {
  const { id, email, token } = await person(world, here)
  await buy(world, { ...here, email })
  await world.stripe.drainWebhooks()
  return { id, email, token }
}

async function readPayment({ id }: Person): Promise<StoredPayment> {
  const { rows } = await world.database.query<StoredPayment>(
    `select p.payment_id as id, p.processor_payment, p.purchase_id
     from payments p join purchases bought on bought.id = p.purchase_id where bought.user_id = $1`,
    [id],
  )
  if (!rows[0]) throw new Error('no payment is stored')
  return rows[0]
}

interface Browsing {
  at?: Tenant
  as?: Person | null
  locale?: string
}

/** Requests a page below /account. Signed in as the payer, unless somebody else is named. */
async function browse(path: string, { at = here, as = payer, locale = 'en' }: Browsing = {}) {
  const cookie = as ? { cookie: `paywall_access=${as.token}` } : {}
  const headers = { ...cookie, 'accept-language': locale }
  const { status, headers: given, body } = await call(world, `/p/${at.paywall.id}/account${path}`, { headers })
  return { status, headers: given, html: String(body) }
}

/** The text of each payment on a page, latest first. */
const listed = (html: string) =>
  [...html.matchAll(/<li class="row">(.*?)<\/li>/gs)].map(([, item = '']) =>
    item
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )

/** The ids of the payments with receipts on a page, latest first. */
const receiptsIn = (html: string) => [...html.matchAll(/\/account\/receipt\/([0-9a-f-]{36})/g)].map(([, id]) => id!)

describe('the receipt of a payment', () => {
  test('is opened at Stripe, which is told nothing of the page', async () => {
    const { status, headers } = await browse(`/receipt/${paid.id}`)
    expect(status).toBe(303)
    expect(headers).toMatchObject({
      location: `${world.stripe.url}/i/${paid.processor_payment}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
  })

  test('does not exist for anybody else, nor on another paywall, and the processor is not asked', async () => {
    const calls = world.stripe.calls.length
    const [mine, theirs] = [`/receipt/${paid.id}`, `/receipt/${paidByOther.id}`]
    const missing = { status: 404, html: expect.stringContaining('Page not found') }
    expect(await browse(mine, { as: other })).toMatchObject(missing)
    expect(await browse(theirs)).toMatchObject(missing)
    expect(await browse(mine, { at: beside })).toMatchObject(missing)
    expect(await browse(mine, { at: foreign, as: stranger })).toMatchObject(missing)
    for (const id of [randomUUID(), 'in_1', paid.processor_payment, `${paid.id}x`, paid.id.replaceAll('-', '')]) {
      expect(await browse(`/receipt/${id}`), id).toMatchObject(missing)
    }
    expect(world.stripe.calls).toHaveLength(calls)
  })

  test('is opened after signing in: a token of another owner or of the other mode is none', async () => {
    const calls = world.stripe.calls.length
    for (const path of [`/receipt/${paid.id}`, '/payments']) {
      const visits = [
        { at: here, as: null },
        { at: here, as: stranger },
        { at: foreign, as: payer },
        { at: live, as: payer },
      ]
      for (const { at, as } of visits) {
        const { status, headers } = await browse(path, { at, as })
        expect([status, headers.location]).toEqual([303, `/p/${at.paywall.id}/account`])
      }
    }
    expect(world.stripe.calls).toHaveLength(calls)
  })

  test.each(['javascript:alert(1)', 'http://evil.example/', 'data:text/html,x', 'ftp://a.example/', '/i', '', 7])(
    'is not opened at %s',
    async (address) => {
      const invoice = { object: 'invoice', hosted_invoice_url: address }
      world.stripe.failNext(`/v1/invoices/${paid.processor_payment}`, 200, invoice)
      const { status, headers, html } = await browse(`/receipt/${paid.id}`)
      expect([status, headers.location]).toEqual([502, undefined])
      expect(html).toContain('The payment service is not responding')
    },
  )

  test('is missing if the account at the processor does not have the payment', async () => {
    const error = { type: 'invalid_request_error', code: 'resource_missing', message: 'No such invoice' }
    world.stripe.failNext(`/v1/invoices/${paid.processor_payment}`, 404, { error })
    const { status, html } = await browse(`/receipt/${paid.id}`, { locale: 'de' })
    expect(status).toBe(404)
    expect(html).toContain('Zu dieser Zahlung gibt es keinen Beleg')
  })
})

describe('the list of payments', () => {
  test('shows those of the visitor only', async () => {
    const { html } = await browse('')
    expect(receiptsIn(html)).toEqual([paid.id])
    expect(listed(html)).toEqual([expect.stringMatching(/^Monthly \w+ \d+, \d{4} \$9\.99 Receipt$/)])
    expect(receiptsIn((await browse('', { as: other })).html)).toEqual([paidByOther.id])
    expect(receiptsIn((await browse('', { at: beside })).html)).toEqual([])
  })

  test('shows what was returned, by a refund or a dispute, and what is disputed', async () => {
    const buyer = await newPayer()
    const { id, processor_payment: invoice } = await readPayment(buyer)
    const intent = String(world.stripe.records.invoices.get(invoice)?.payment)
    const shown = async () => {
      await world.stripe.drainWebhooks()
      return listed((await browse('', { as: buyer })).html)[0]
    }
    await world.stripe.refund(intent, 400)
    expect(await shown()).toMatch(/\d \$4 refunded \$9\.99 Receipt$/)
    const dispute = await world.stripe.dispute(intent)
    expect(await shown()).toMatch(/\d \$4 refunded Disputed \$9\.99 Receipt$/)
    await world.stripe.closeDispute(String(dispute.id))
    expect(await shown()).toMatch(/\d Refunded \$9\.99 Receipt$/)
    expect(receiptsIn((await browse('', { as: buyer })).html)).toEqual([id])
  })

  test('shows what an offer took off', async () => {
    const terms = { discount: { amount: 2.5, currency: 'USD', periods: 1 }, processorDiscount: 'OFF_250' }
    const offer = { id: 'spring', title: 'Spring', prices: ['monthly'], ...terms }
    const shop = await newTenant(world, { prices: [monthly({ locals: [] })], offers: [offer] })
    const buyer = await person(world, shop)
    await buy(world, { ...shop, email: buyer.email, body: { offer: 'spring' } })
    await world.stripe.drainWebhooks()
    const shown = async (locale: string) => listed((await browse('', { at: shop, as: buyer, locale })).html)
    expect(await shown('en')).toEqual([expect.stringMatching(/ \$7\.49 \$2\.50 off Receipt$/)])
    expect(await shown('de')).toEqual([expect.stringMatching(/ 7,49\s\$ 2,50\s\$ Rabatt Beleg$/)])
  })

  test('shows a payment of several parts once, with its total, and no tax or discount if that of a part is unknown', async () => {
    const buyer = await newPayer()
    const { id } = await readPayment(buyer)
    await world.database.query(
      `insert into payments (payment_id, purchase_id, paywall_id, acquiring, processor_payment, price_id, fact_id, kind, amount, currency,
         tax, discount, occurred_at)
       select payment_id, purchase_id, paywall_id, acquiring, processor_payment, price_id, fact_id || part, kind, 100, currency,
         nullif(part, 2) * 20, nullif(part, 2) * 50, occurred_at + part * interval '1 second'
       from payments, generate_series(1, 2) part where payment_id = $1`,
      [id],
    )
    const { html } = await browse('', { as: buyer })
    expect(listed(html)).toEqual([expect.stringMatching(/ \$11\.99 Receipt$/)])
  })

  test("names what was bought in the visitor's language, also once it is no longer sold", async () => {
    const locales = { en: { plan: 'Every month' }, de: { plan: 'Jeden Monat' } }
    const shop = await newTenant(world, { prices: [monthly({ label: 'plan' })], locales })
    const buyer = await person(world, shop)
    await buy(world, { ...shop, email: buyer.email })
    await world.stripe.drainWebhooks()
    const shown = async (locale: string) => listed((await browse('', { at: shop, as: buyer, locale })).html)
    const german = [expect.stringMatching(/^Jeden Monat \d+\. \p{L}+ \d{4} 9,99\s\$ Beleg$/u)]
    expect(await shown('de')).toEqual(german)
    expect(await shown('en')).toEqual([expect.stringMatching(/^Every month /)])
    await world.database.query('update prices set retired_at = now() where paywall_id = $1', [shop.paywall.id])
    expect(await shown('de')).toEqual(german)
  })

  test('is divided into pages, on which each payment is once, also those of the same time', async () => {
    const buyer = await newPayer()
    const { id, purchase_id: purchase } = await readPayment(buyer)
    const { rows } = await world.database.query<{ payment_id: string }>(
      `insert into payments (payment_id, purchase_id, paywall_id, acquiring, processor_payment, price_id, fact_id, kind, amount, currency, occurred_at)
       select gen_random_uuid(), purchase_id, paywall_id, acquiring, fact_id || n, price_id, fact_id || n, kind, n, currency,
         occurred_at - (n / 5) * interval '30 days'
       from payments, generate_series(1, 29) n where purchase_id = $1 returning payment_id`,
      [purchase],
    )
    const pages: string[][] = []
    for (let path: string | undefined = ''; path !== undefined; ) {
      const { status, html } = await browse(path, { as: buyer })
      expect(status).toBe(200)
      pages.push(receiptsIn(html))
      path = /href="\/p\/\d+\/account(\/payments\?before=[^"]+)"/.exec(html)?.[1]
    }
    expect(pages.map(({ length }) => length)).toEqual([12, 12, 6])
    expect(pages.flat().toSorted()).toEqual([id, ...rows.map(({ payment_id }) => payment_id)].toSorted())
    const { rows: byTime } = await world.database.query<{ payment_id: string }>(
      'select payment_id from payments where purchase_id = $1 order by occurred_at desc, id desc',
      [purchase],
    )
    expect(pages.flat()).toEqual(byTime.map(({ payment_id }) => payment_id))
  })

  test('does not continue after a payment of somebody else', async () => {
    for (const before of [paidByOther.id, randomUUID(), 'x', `${'x'.repeat(101)}`]) {
      expect((await browse(`/payments?before=${before}`)).status, before).toBe(404)
    }
    expect(await browse(`/payments?before=${paidByOther.id}`)).toMatchObject({ status: 404 })
  })

  test('is left out if it cannot be read: the rest of the account is shown', async () => {
    world.neon.onStatement = ({ query }, run) =>
      query.includes('list_payments') ? Promise.reject(new ResponseLost()) : run()
    const { status, html } = await browse('')
    expect(status).toBe(200)
    expect(html).toContain('The service is temporarily unavailable')
    expect(html).toContain('Cancel subscription')
    expect(receiptsIn(html)).toEqual([])
    expect((await browse('/payments')).status).toBe(503)
  })
})
