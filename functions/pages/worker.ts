// The site of a paywall: its pages, on its own domain and below /p/{id} of the service. This Worker has no secrets and no database: it
// calls the other Workers on the visitor's behalf.
import { Hono } from 'hono/tiny'
import { allowOnly, createBaseApp } from '../../lib/http/base-app.ts'
import { requireSameOrigin } from '../../lib/http/same-origin.ts'
import { giveToken, restore, showAccount, showRestore, useAccount } from './account.ts'
import { serveAsset, serveIcon } from './assets.ts'
import { cancel, showCancel } from './cancel.ts'
import { change, showChange } from './change.ts'
import {
  ACCOUNT_PATH,
  ASSET_PATH,
  BASE_PATHS,
  CANCEL_PATH,
  CHANGE_PATH,
  DIALOG_PATH,
  DIALOG_SCRIPT_PATH,
  EMBEDDED_BASE_PATHS,
  ICON_PATH,
  IMAGE_PATH,
  isDialogPath,
  PAYMENTS_PATH,
  PAYWALL_PATH,
  RECEIPT_PATH,
  RESTORE_PATH,
  SESSION_PATH,
  SITE_BASE_PATHS,
  THANKS_PATH,
  TICKET_PATH,
} from './contract.ts'
import { openDialog, requireCookies, serveDialogScript } from './dialog.ts'
import { serveImage } from './image.ts'
import { openReceipt, showPayments } from './payments.ts'
import { buy, showPaywall, showThanks } from './paywall.ts'
import { renderErrorPage } from './render-error-page.ts'
import { openTicket, showTicket } from './ticket.ts'

const GET = ['GET', 'HEAD']

const app = createBaseApp<Cloudflare.PagesEnv>({ renderError: renderErrorPage })
// The form that opens a dialog is from another site, and is checked by its handler.
app.use(requireSameOrigin(isDialogPath), requireCookies)

const pages = new Hono<{ Bindings: Cloudflare.PagesEnv }>()
pages
  .get(PAYWALL_PATH, showPaywall)
  .post(buy)
  .all(allowOnly(...GET, 'POST'))
pages
  .get(ACCOUNT_PATH, showAccount)
  .post(useAccount)
  .all(allowOnly(...GET, 'POST'))
pages
  .get(CANCEL_PATH, showCancel)
  .post(cancel)
  .all(allowOnly(...GET, 'POST'))
pages
  .get(CHANGE_PATH, showChange)
  .post(change)
  .all(allowOnly(...GET, 'POST'))
pages
  .get(TICKET_PATH, showTicket)
  .post(openTicket)
  .all(allowOnly(...GET, 'POST'))
pages
  .get(RESTORE_PATH, showRestore)
  .post(restore)
  .all(allowOnly(...GET, 'POST'))
pages.get(PAYMENTS_PATH, showPayments).all(allowOnly(...GET))
pages.get(RECEIPT_PATH, openReceipt).all(allowOnly(...GET))
pages.get(THANKS_PATH, showThanks).all(allowOnly(...GET))
pages.get(IMAGE_PATH, serveImage).all(allowOnly(...GET))
pages.post(SESSION_PATH, giveToken).all(allowOnly('POST'))
for (const basePath of BASE_PATHS) app.route(basePath, pages)

const dialog = new Hono<{ Bindings: Cloudflare.PagesEnv }>()
dialog.post(DIALOG_PATH, openDialog).all(allowOnly('POST'))
for (const basePath of EMBEDDED_BASE_PATHS) app.route(basePath, dialog)

const script = new Hono<{ Bindings: Cloudflare.PagesEnv }>()
script.get(DIALOG_SCRIPT_PATH, serveDialogScript).all(allowOnly(...GET))
for (const basePath of SITE_BASE_PATHS) app.route(basePath, script)

app.get(ASSET_PATH, serveAsset).all(allowOnly(...GET))
app.get(ICON_PATH, serveIcon).all(allowOnly(...GET))

export default app
