import page from '../../generated/docs.html'
import document from '../../generated/openapi.json'
import { allowOnly, createBaseApp } from '../../lib/http/base-app.ts'
import { DOCUMENT_PATH, PAGE_PATH } from './contract.ts'

/** Only a deployment changes the document and the page. */
const CACHED = { 'Cache-Control': 'public, max-age=300' }

const app = createBaseApp<Cloudflare.DocsEnv>()

/** The API's document, and the page that `npm run generate` made of it. */
app.get(DOCUMENT_PATH, () => Response.json(document, { headers: CACHED })).all(allowOnly('GET', 'HEAD'))

app
  .get(PAGE_PATH, async (c) => c.html(page, 200, { ...CACHED, 'Content-Security-Policy': await policy() }))
  .all(allowOnly('GET', 'HEAD'))

/** The page's Content-Security-Policy: it may use its own style, and load nothing. */
async function policy(): Promise<string> {
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1]
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  const source = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`
  return `default-src 'none'; style-src ${source}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

export default app
