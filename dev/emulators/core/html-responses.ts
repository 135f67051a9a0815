import type { Answer } from './server.ts'

/** Sends the browser on, with a GET. */
export const redirect = (location: string): Answer => ({ status: 303, headers: { Location: location }, body: '' })

/** A page that runs nothing, loads nothing and stands in no frame. */
export const page = (status: number, body: string): Answer => ({
  status,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  },
  body,
})
