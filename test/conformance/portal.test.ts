import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { call } from '../support/call.ts'
import { type Buyer, buy, newEvents, readPurchase } from './buyer.ts'
import { useShops } from './shop.ts'

// The portal that get-customer-portal opens, and what buyers do there.

const getShop = useShops()

const requestPortal = ({ shop: { world, paywall, key }, email }: Buyer) =>
  call(world, `/api/v1/paywall/${paywall.id}/get-customer-portal`, { key, body: { email } })

async function openPortal(buyer: Buyer): Promise<string> {
  const { status, body } = await requestPortal(buyer)
  expect(status).toBe(200)
  return z.object({ url: z.url() }).parse(body).url
}

/** Presses the button of the portal's page whose text begins so. Returns the owner's new events. */
async function pressInPortal(buyer: Buyer, text: string): Promise<string[]> {
  const url = await openPortal(buyer)
  const forms = [...(await (await fetch(url)).text()).matchAll(/<form.*?<\/form>/gs)].map(([form]) => form)
  const form = forms.find((each) => each.includes(`>${text}`)) ?? ''
  const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
    ([, name, value]) => [name, value] as [string, string],
  )
  const action = new RegExp(`value="(\\w+)"[^>]*>${text}`).exec(form)?.[1] ?? ''
  const body = new URLSearchParams([...fields, ['action', action]])
  const { status } = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  expect(status).toBe(303)
  return newEvents(buyer)
}

const HAVE_PORTAL = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.portal)

describe.each(HAVE_PORTAL)('%s', (acquiring) => {
  test('get-customer-portal opens the portal', async () => {
    const shop = getShop(acquiring)
    const url = await openPortal(await buy(shop))
    expect(new URL(url).origin).toBe(shop.emulator.url)
    expect(await (await fetch(url)).text()).toContain('Monthly')
  })

  test('a change of plan and a cancellation in the portal are reported', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    expect(await pressInPortal(buyer, 'Change to Plus,')).toContain('subscription.plan_changed')
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', status: 'active' })
    expect(await pressInPortal(buyer, 'Cancel subscription')).toEqual(
      shop.capabilities.sendsCancellationWebhook ? ['subscription.cancel_scheduled'] : [],
    )
  })
})

test.each(PROCESSOR_NAMES.filter((name) => !HAVE_PORTAL.includes(name)))(
  '%s, which has no portal: get-customer-portal returns 403 without a call',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const calls = shop.emulator.calls.length
    expect(await requestPortal(buyer)).toMatchObject({
      status: 403,
      body: { error: 'portal_unavailable', isTest: '1' },
    })
    expect(shop.emulator.calls).toHaveLength(calls)
  },
)
