// The page of the owner that shows the paywall's pages in a dialog. A cookie of the dialog's frame remembers it.
import { getCookie, setCookie } from 'hono/cookie'
import type { PagesContext } from './call-api.ts'
import { cookieOptions, type SiteBase } from './session.ts'
import type { Structure } from './structure.ts'

const PAGE = 'paywall_page'

export function rememberEmbedder(c: PagesContext, base: SiteBase, page: URL): void {
  setCookie(c, PAGE, page.href, cookieOptions(c, base))
}

/** The page with the dialog; null outside of a dialog, and in a browser that blocks the frame's cookies. */
export const rememberedEmbedder = (c: PagesContext): URL | null => parseUrl(getCookie(c, PAGE, 'secure'))

/** The URL of a page that may show the paywall's pages in a dialog; null if the owner has not listed its origin. */
export function parseEmbedder({ settings }: Structure, page: string | undefined): URL | null {
  const url = parseUrl(page)
  return url && settings.embed_origins?.includes(url.origin) ? url : null
}

const parseUrl = (text: string | undefined): URL | null =>
  text !== undefined && URL.canParse(text) ? new URL(text) : null
