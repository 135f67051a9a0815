import { html } from 'hono/html'
import type { Html } from '../../emulators/core/pages/layout.ts'
import type { HttpResponse } from '../../emulators/core/server.ts'

/** What differs between home's pages. */
export interface PageContent {
  title: string
  /** Shown next to the title. */
  header: Html
  /** The sections, each with an id by which the page's script replaces those that have changed. */
  main: Html
}

/** A whole page, with live updates. */
export async function layout({ title, header, main }: PageContent): Promise<HttpResponse> {
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
    <header><h1>${title}</h1>${header}</header>
    ${renderMain(main)}
  </body>
</html>
`
  return { status: 200, headers: HEADERS, body: page.toString() }
}

/** The part of the page that its script replaces. */
export async function fragment({ main }: PageContent): Promise<string> {
  return (await renderMain(main)).toString()
}

const renderMain = (main: Html) => html`<main data-live>${main}</main>`

/** Forms may redirect to an emulator's page on another local port. `isFromHere` needs the `Origin` that `same-origin` makes browsers send. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
    "form-action 'self' http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
}
