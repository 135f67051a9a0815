import { PaywallError } from '../error.ts'

/** The query parameter that marks a return after paying. Its value is the paywall's id. */
const MARK = 'paywall_checkout'

/** Where buyers return to. Both may be relative to the page. */
export interface ReturnUrls {
  /** After paying. Default: the current page. A page of the same origin waits for the purchase. */
  successUrl?: string
  /** Without paying. Default: the current page. */
  errorUrl?: string
}

/**
 * Completes the return URLs for the API. Outside a browser there is no current page, so they stay as they are.
 *
 * @throws PaywallError invalid_url
 */
export function returnUrls(paywall: string, given: ReturnUrls): ReturnUrls {
  const page = globalThis.location?.href
  if (!page) return given
  const successUrl = resolved(given.successUrl ?? page, page)
  if (successUrl.origin === location.origin) successUrl.searchParams.set(MARK, paywall)
  return { successUrl: successUrl.href, errorUrl: resolved(given.errorUrl ?? page, page).href }
}

function resolved(url: string, page: string): URL {
  try {
    return new URL(url, page)
  } catch (cause) {
    throw new PaywallError({ status: 0, code: 'invalid_url', message: `${url} is not a URL.` }, { cause })
  }
}

/** Whether the buyer has just returned after paying. True only once, because it removes the parameter from the page's URL. */
export function consumeReturn(paywall: string): boolean {
  const { href } = globalThis.location ?? {}
  const url = href ? new URL(href) : null
  if (url?.searchParams.get(MARK) !== paywall) return false
  url.searchParams.delete(MARK)
  history.replaceState(history.state, '', url)
  return true
}

/** The language of the page; empty if the page does not declare it, or outside a browser. */
export const pageLanguage = (): string => globalThis.document?.documentElement.lang ?? ''

/** Navigates to a URL; does nothing outside a browser. */
export const goTo = (url: string): void => globalThis.location?.assign(url)
