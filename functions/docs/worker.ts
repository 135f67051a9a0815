import type { Context } from 'hono'
import page from '../../generated/docs.html'
import document from '../../generated/openapi.json'
import { allowOnly, createBaseApp } from '../../lib/http/base-app.ts'
import { DOCUMENT_PATH, PAGE_PATH, REFERENCE_PATH, SCRIPT_PATH } from './contract.ts'
import { REFERENCE_PAGE, REFERENCE_POLICY } from './reference-page.ts'

/** Only a deployment changes the document and the page. */
const CACHED = { 'Cache-Control': 'public, max-age=300' }

const app = createBaseApp<Cloudflare.DocsEnv>()

/** The API's document, and the page that `npm run generate` made of it. */
app.get(DOCUMENT_PATH, () => Response.json(document, { headers: CACHED })).all(allowOnly('GET', 'HEAD'))

app
  .get(PAGE_PATH, async (c) => c.html(page, 200, { ...CACHED, 'Content-Security-Policy': await policy() }))
  .all(allowOnly('GET', 'HEAD'))

app
  .get(REFERENCE_PATH, (c) => c.html(REFERENCE_PAGE, 200, { ...CACHED, 'Content-Security-Policy': REFERENCE_POLICY }))
  .all(allowOnly('GET', 'HEAD'))

app.get(SCRIPT_PATH, referenceScript).all(allowOnly('GET', 'HEAD'))

/** Scalar, as its package has it. */
async function referenceScript(c: Context<{ Bindings: Cloudflare.DocsEnv }>): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(new Request(new URL('/scalar.js', c.req.url), c.req.raw))
  const response = new Response(asset.body, asset)
  response.headers.set('Cache-Control', CACHED['Cache-Control'])
  return response
}

/** The page's Content-Security-Policy: it may use its own style, and load nothing. */
async function policy(): Promise<string> {
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1]
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  const source = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`
  return `default-src 'none'; style-src ${source}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

export default app
