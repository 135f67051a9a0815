import type { HttpResponse } from '../server.ts'

/** Sends the browser to another address, with a GET. */
export const redirect = (location: string): HttpResponse => ({ status: 303, headers: { Location: location }, body: '' })

/** An address with more in its query. */
export function withQuery(address: string, more: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value)
  return url.href
}

/** A page that runs no script, loads nothing and cannot be framed. */
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
