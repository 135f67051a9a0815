import { html } from 'hono/html'
import type { Html } from '../../emulators/core/pages/layout.ts'
import type { HttpResponse } from '../../emulators/core/server.ts'

/** A whole page of home. */
export async function layout(title: string, content: Html): Promise<HttpResponse> {
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/home.css">
    <script src="/home.js" defer></script>
  </head>
  <body>
${content}
  </body>
</html>
`
  return { status: 200, headers: HEADERS, body: page.toString() }
}

/** Its forms may lead to an emulator's page: another port of this machine. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self' http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}
