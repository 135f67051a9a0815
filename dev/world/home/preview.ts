import type { HttpResponse } from '../../emulators/core/server.ts'
import type { World } from '../world.ts'

// The service's paywall page forbids framing, so home frames a static copy of it.

const SCRIPTS = /<script\b[^>]*>[\s\S]*?<\/script>/g

/** A copy of the service's paywall page, with its styles and without its scripts. */
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

/** The version of a paywall that the service serves now. It lags some seconds behind a change. */
export async function shownVersion({ url }: Pick<World, 'url'>, paywallId: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/paywall/${encodeURIComponent(paywallId)}/bootstrap`, { method: 'HEAD' })
  return response.headers.get('etag') ?? ''
}
