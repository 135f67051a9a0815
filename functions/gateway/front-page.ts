import { withCommonHeaders } from './answers.ts'

/**
 * What a browser finds at the front of a host. On a paywall's own domain this is where a buyer comes who left the payment page,
 * if the paywall names no better place.
 */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nothing was bought</title>
<main>
<h1>Nothing was bought</h1>
<p>If you have just left a payment page without paying, you were not charged. You can close this page, or go back to where
you came from.</p>
</main>
`

/** Whether a browser asks for the front of a host. A program, which does not ask for a page, is told that there is nothing. */
export function asksForFrontPage(request: Request, path: string): boolean {
  const asksForPage = request.headers.get('accept')?.includes('text/html') ?? false
  return path === '/' && asksForPage && ['GET', 'HEAD'].includes(request.method)
}

export const frontPage = (requestId: string): Response =>
  withCommonHeaders(new Response(PAGE, { headers: { 'Content-Type': 'text/html; charset=utf-8' } }), requestId)
