// The hosted pages of a paywall, on its own domain and below /p/{id} of the service. They hold no secret and have no database: what
// they know and do they ask the other Workers for, in the visitor's name.
import { Hono } from 'hono/tiny'
import { allowOnly, createBaseApp } from '../../lib/http/base-app.ts'
import { serveAsset } from './assets.ts'
import { ASSET_PATH, PAYWALL_PATH, PLACES, THANKS_PATH } from './contract.ts'
import { buy, showPaywall } from './paywall.ts'
import { sameOrigin } from './same-origin.ts'
import { sayInWords } from './say-in-words.ts'
import { showThanks } from './thanks.ts'

const app = createBaseApp<Cloudflare.PagesEnv>({ say: sayInWords })
app.use(sameOrigin)

const pages = new Hono<{ Bindings: Cloudflare.PagesEnv }>()
pages
  .get(PAYWALL_PATH, showPaywall)
  .post(buy)
  .all(allowOnly('GET', 'HEAD', 'POST'))
pages.get(THANKS_PATH, showThanks).all(allowOnly('GET', 'HEAD'))
for (const place of PLACES) app.route(place, pages)

app.get(ASSET_PATH, serveAsset).all(allowOnly('GET', 'HEAD'))

export default app
