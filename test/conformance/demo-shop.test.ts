import { Paywall } from 'paywall-billing-sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startShop } from '../../dev/world/shop.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { newEmail, press } from '../support/checkout.ts'
import { reservePort } from '../support/ports.ts'
import { handleWebhooks } from './buyer.ts'
import { type Shop, useShops } from './shop.ts'

const getShop = useShops()

/** The demo's shop, which sells the paywall to a customer who has signed in. */
async function open({ world, paywall, key }: Shop) {
  const email = newEmail()
  const port = await reservePort()
  // The events of this file go to another endpoint: the test forwards them.
  const webhooks = world.file.webhooks.map((webhook) => ({ ...webhook, url: `http://127.0.0.1:${port}/webhooks` }))
  const shop = await startShop({ port, baseUrl: world.url, file: { ...world.file, webhooks }, paywall, key })
  onTestFinished(() => shop.close())
  const headers = { cookie: `email=${encodeURIComponent(email)}`, origin: shop.url }
  const get = async (path: string) => (await fetch(shop.url + path, { headers })).text()
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const { status, headers: replied } = await fetch(shop.url + path, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
    })
    expect(status).toBe(303)
    return replied.get('location') ?? ''
  }
  async function forwardEvents(): Promise<void> {
    for (const { body, headers } of world.receiver.received.filter((event) => event.body.includes(email))) {
      await fetch(`${shop.url}/webhooks`, { method: 'POST', headers: headers as Record<string, string>, body })
    }
  }
  return { email, get, post, forwardEvents }
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('the demo’s shop sells, gates, spends tokens, shows what an upgrade costs, makes it and handles events', async () => {
    const shop = getShop(acquiring)
    const { email, get, post, forwardEvents } = await open(shop)
    expect(await get('/export')).toContain('require a subscription')
    await press(await post('/buy', { price: 'monthly' }), 'pay')
    await handleWebhooks(shop)
    expect(await get('/export')).toContain('project,version')
    await post('/convert', { job: crypto.randomUUID() })
    const bought = await get('/')
    expect(bought).toContain('You have 95 tokens')
    expect(bought, 'a subscriber can still buy packs').toContain('50 tokens, $5.00')
    expect(bought).not.toContain('For ever, $49.00')

    const { world, key, paywall } = shop
    const owner = new Paywall({ key, paywall: paywall.id, baseUrl: world.url })
    const { estimate } = await owner.previewPlanChange({ email, price: 'plus' })
    const preview = await get('/?price=plus')
    expect(preview).toMatch(/Change now: \$(9\.9\d|10\.00) today, then \$19\.99 on [A-Z][a-z]+ \d+, \d{4}/)
    expect(preview.includes(' (an estimate)')).toBe(estimate)
    const page = await post('/change', {
      price: 'plus',
      quote: /name="quote" value="([^"]+)"/.exec(preview)?.[1] ?? '',
    })
    if (page !== '/') await press(page, 'pay')
    await handleWebhooks(shop)
    expect(await get('/')).toContain('You have 295 tokens')

    await forwardEvents()
    expect(await get('/')).toContain(`${email} joined`)
  })
})
