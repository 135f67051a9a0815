import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import { createShop } from '../../demo/shop/shop.ts'
import { type HttpRequest, serve } from '../emulators/core/server.ts'

/** The picture that the demo's paywall file has at the shop's address. */
const PICTURE = join(import.meta.dirname, '../../demo/picture.png')

/** The shop on a local server. */
export type Shop = Awaited<ReturnType<typeof startShop>>

interface ShopOptions {
  port: number
  /** The service's origin. */
  baseUrl: string
  /** The file of the paywall that it sells. It receives events if the file has its `/webhooks` as an endpoint. */
  file: PaywallFile
  paywall: FilePaywall
  key: string
}

/** Starts the shop, which sells a paywall, and serves the demo's picture. */
export async function startShop({ port, baseUrl, file, paywall, key }: ShopOptions) {
  const secret = file.webhooks.find(({ url }) => url === `http://127.0.0.1:${port}/webhooks`)?.secret ?? null
  const shop = createShop({ key, paywall: paywall.id, baseUrl, secret, test: paywall.is_test })
  return serve(port, async (request) => {
    if (request.path === '/picture.png') {
      return { status: 200, headers: { 'Content-Type': 'image/png' }, body: await readFile(PICTURE) }
    }
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
