import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { createShop } from '../../demo/shop/shop.ts'
import { type HttpRequest, serve } from '../emulators/core/server.ts'

/** The demo's shop on a local server. */
export type Shop = Awaited<ReturnType<typeof startShop>>

interface ShopOptions {
  port: number
  /** The service's origin. */
  baseUrl: string
  /** The demo's only file. Its last webhook endpoint is the shop's. */
  files: PaywallFile[]
}

/** Starts the shop, which sells the first paywall of the file. */
export async function startShop({ port, baseUrl, files: [file] }: ShopOptions) {
  const key = file?.keys[0]?.secret
  const paywall = file?.paywalls[0]
  const secret = file?.webhooks.at(-1)?.secret
  if (!key || !paywall || !secret) throw new TypeError('the shop needs a key, a paywall and a webhook endpoint')
  const shop = createShop({ key, paywall: paywall.id, baseUrl, secret, test: paywall.is_test })
  return serve(port, async (request) => {
    const response = await shop.fetch(toRequest(request))
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  })
}

function toRequest({ method, path, query, headers, body }: HttpRequest): Request {
  return new Request(`http://${headers.host}${path}?${query}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ...(body && { body }),
  })
}
