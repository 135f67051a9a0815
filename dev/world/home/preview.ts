import type { HttpResponse } from '../../emulators/core/server.ts'
import type { World } from '../world.ts'

// The service's own page of a paywall may stand in no frame. So home serves a copy of it, which is looked at and not used.

const SCRIPTS = /<script\b[^>]*>[\s\S]*?<\/script>/g

/** What the service shows at a paywall's page, with its styles and without its scripts, as a picture of it. */
export async function previewPage({ url }: Pick<World, 'url'>, paywallId: string): Promise<HttpResponse> {
  const response = await fetch(`${url}/p/${encodeURIComponent(paywallId)}`)
  const page = await response.text()
  return {
    status: response.status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline' ${url}; img-src ${url} data:; frame-ancestors 'self'`,
    },
    body: page.replace('<head>', `<head><base href="${url}/">`).replaceAll(SCRIPTS, ''),
  }
}

/** Which version of a paywall the service shows now: some seconds after a change it is still the one before. */
export async function shownVersion({ url }: Pick<World, 'url'>, paywallId: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/paywall/${encodeURIComponent(paywallId)}/bootstrap`, { method: 'HEAD' })
  return response.headers.get('etag') ?? ''
}
