import type { Context } from 'hono'
import guide from '../../generated/guide.html'
import guideMarkdown from '../../generated/guide.md'
import document from '../../generated/openapi.json'
import { allowOnly, createBaseApp } from '../../lib/http/base-app.ts'
import {
  DOCUMENT_PATH,
  FRONT_PATH,
  GUIDE_MARKDOWN_PATH,
  GUIDE_PATH,
  LLMS_PATH,
  PATHS,
  REFERENCE_PATH,
  SCRIPT_PATH,
} from './contract.ts'
import { aboutService, frontPage, indexForModels } from './front-page.ts'
import { page, pagePolicy } from './page.ts'
import { REFERENCE_PAGE, referencePolicy } from './reference-page.ts'

/** docs/guide.md, converted to HTML by `npm run generate`. */
const GUIDE_PAGE = page({
  title: 'Guide: Paywall Billing',
  path: GUIDE_PATH,
  content: `<div class="with-contents columns">\n${guide}</div>`,
})

/** For responses that only a deployment changes. Not for `/`, since a host may become a paywall's domain at any time. */
const CACHED = { 'Cache-Control': 'public, max-age=300' }

const { version } = document.info

const app = createBaseApp<Cloudflare.DocsEnv>()

app.get(FRONT_PATH, async (c) => {
  const docs = c.env.DOCS_ORIGIN
  if (!c.req.header('accept')?.includes('text/html')) return c.json(aboutService(version, docs))
  return c.html(frontPage(version, docs), 200, { 'Content-Security-Policy': await pagePolicy() })
})

app.get(DOCUMENT_PATH, () => Response.json(document, { headers: CACHED }))

app.get(GUIDE_PATH, async (c) => c.html(GUIDE_PAGE, 200, { ...CACHED, 'Content-Security-Policy': await pagePolicy() }))

app.get(GUIDE_MARKDOWN_PATH, (c) =>
  c.body(guideMarkdown, 200, { ...CACHED, 'Content-Type': 'text/markdown; charset=utf-8' }),
)

app.get(LLMS_PATH, (c) => c.text(indexForModels(new URL(c.req.url).origin), 200, CACHED))

app.get(REFERENCE_PATH, async (c) =>
  c.html(REFERENCE_PAGE, 200, { ...CACHED, 'Content-Security-Policy': await referencePolicy() }),
)

app.get(SCRIPT_PATH, referenceScript)

for (const path of [FRONT_PATH, ...PATHS]) app.all(path, allowOnly('GET', 'HEAD'))

/** Redoc, as `dev/tools/reference-script.ts` writes it. */
async function referenceScript(c: Context<{ Bindings: Cloudflare.DocsEnv }>): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(new Request(new URL('/redoc.js', c.req.url), c.req.raw))
  const response = new Response(asset.body, asset)
  response.headers.set('Cache-Control', CACHED['Cache-Control'])
  return response
}

export default app
