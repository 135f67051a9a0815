// Opens a checkout for a visitor:
// 1. A guest becomes an anonymous user, identified by cookies; repeats of one form share the user. Signing in later keeps its purchases.
// 2. start-checkout is called with an Idempotency-Key derived from the form, the price, the offer, the number of units and the latest
//    purchase, which is part of the return URL: a double submit opens one hosted page, and another body with the same key would be 409.
import * as z from 'zod'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { callApi, isRefused, type PagesContext, type Refused } from './call-api.ts'
import { PAYWALL_PATH, THANKS_PATH } from './contract.ts'
import { PageOfProcessor } from './page-of-processor.ts'
import { beginSession } from './session.ts'
import type { Site } from './site.ts'

const Opened = z.object({ checkoutUrl: PageOfProcessor })

interface Order {
  priceId: string
  /** The form's own id: a double submit has the same one. */
  key: string
  /** Whether to sell even to a visitor who has an active subscription. */
  isSwitch?: boolean
  /** The id of the offer at which the price was shown, and the code of it that the visitor has entered. */
  offer?: string | undefined
  code?: string | undefined
  /** How many units to sell. */
  quantity?: number
}

/** Returns the URL of the hosted page, or why none was opened. */
export async function openCheckout(
  c: PagesContext,
  site: Site,
  { priceId, key, isSwitch = false, offer, code, quantity = 1 }: Order,
): Promise<z.output<typeof Opened> | Refused> {
  const session = await ensureToken(c, site, key)
  if (isRefused(session)) return session
  const latest = site.user?.purchases[0]?.id
  return callApi(c, 'START_CHECKOUT', Opened, {
    path: `/api/v1/paywall/${site.paywallId}/start-checkout`,
    token: session.token,
    headers: {
      'Idempotency-Key': await toUuid(
        [key || crypto.randomUUID(), priceId, offer, quantity > 1 && quantity, latest].filter(Boolean).join(' '),
      ),
    },
    body: {
      priceId,
      ...returnUrls(site, latest),
      ignoreActivePurchase: isSwitch,
      offer,
      code,
      quantity,
      locale: site.pageLocale,
    },
  })
}

/**
 * Where the buyer returns to: from a dialog to the owner's page, whose script opens the dialog again. `latest`: the id of the buyer's latest
 * purchase, after which the thanks page waits for another one.
 */
function returnUrls({ embedder, structure, ...site }: Site, latest = ''): { successUrl: string; errorUrl: string } {
  if (embedder) {
    return {
      successUrl: marked(embedder, site, `thank:${latest}`),
      errorUrl: marked(embedder, site, 'sell-again'),
    }
  }
  const { success_redirect_url: successUrl, error_redirect_url: errorUrl } = structure.settings
  return {
    successUrl: successUrl ?? site.absolute(site.href(THANKS_PATH, latest ? { after: latest } : {})),
    errorUrl: errorUrl ?? site.absolute(site.href(PAYWALL_PATH, { bought: 'nothing' })),
  }
}

/**
 * The query parameter by which the script on the owner's page recognises a return, and which dialog opens: after which purchase, if it
 * thanks.
 */
const DIALOG_MARK = 'paywall_dialog'

function marked(page: URL, site: Pick<Site, 'absolute' | 'path'>, opens: string): string {
  const url = new URL(page)
  url.searchParams.set(DIALOG_MARK, `${site.absolute(site.path)}#${opens}`)
  return url.href
}

/** The visitor's access token. A guest becomes an anonymous user. `key`: the form's own id. */
export async function ensureToken(c: PagesContext, site: Site, key: string): Promise<{ token: string } | Refused> {
  // Another user would get what the user of the owner's page pays for.
  if (site.isGivenOver) return { isRefused: true, status: 401, error: 'session_ended', retryAfter: null }
  return site.token ? { token: site.token } : beginAnonymously(c, site, key)
}

/** A double submit creates one user. A submit after sign-out creates a new one. */
async function beginAnonymously(c: PagesContext, site: Site, key: string): Promise<{ token: string } | Refused> {
  const grant = { grant_type: 'anonymous' }
  const session = await beginSession(c, site, grant, { headers: { 'Idempotency-Key': key } })
  return isRefused(session) && session.status === 400 ? beginSession(c, site, grant) : session
}

/** Derives a UUID from a text. */
async function toUuid(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
