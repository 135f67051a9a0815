import type { HttpResponse } from '../server.ts'

/** Redirects the browser with a GET. */
export const redirect = (location: string): HttpResponse => ({ status: 303, headers: { Location: location }, body: '' })

/** Adds query parameters to a URL. */
export function withQuery(address: string, more: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value)
  return url.href
}

/** A page without scripts and external resources that cannot be framed. */
export const page = (status: number, body: string): HttpResponse => ({
  status,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  },
  body,
})
