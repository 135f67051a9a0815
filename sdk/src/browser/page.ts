import { PaywallError } from '../error.ts'

/** The parameter by which the address of a page says that a buyer comes back to it after paying: at the paywall of this id. */
const MARK = 'paywall_checkout'

/** Where the buyer is sent back to. Both may be relative to the page. */
export interface ReturnUrls {
  /** After paying; the page that is left, if it is left out. A page of the same origin waits for the purchase. */
  successUrl?: string
  /** After not paying; the page that is left, if it is left out. */
  errorUrl?: string
}

/**
 * The ways back as the API takes them. Outside a browser there is no page to come back to.
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

/** Whether the buyer has come back to this page after paying. It is told once: the mark is taken off the page's address. */
export function hasComeBack(paywall: string): boolean {
  const { href } = globalThis.location ?? {}
  const url = href ? new URL(href) : null
  if (url?.searchParams.get(MARK) !== paywall) return false
  url.searchParams.delete(MARK)
  history.replaceState(history.state, '', url)
  return true
}

/** Leaves the page, where there is one. */
export const goTo = (url: string): void => globalThis.location?.assign(url)
