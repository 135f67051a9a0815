// Shows a paywall's site in a dialog on an owner's page. The origin of the page must be in `settings.embed_origins` of the paywall file.

/** What a buyer has just bought, as in `purchases` of `user`: after a change of plan the same purchase at its new price and quantity. */
export interface BoughtPurchase {
  id: string
  price_id: string | null
  price_slug: string | null
  quantity: number
  status: string
}

/** What the pages in the dialog report to the owner's page. */
export type DialogMessage =
  | { type: 'ready'; title: string; close: string }
  | { type: 'leave'; url: string }
  | { type: 'bought'; purchase: BoughtPurchase }
  | { type: 'session-over' }
  | { type: 'close' }

export interface DialogOptions {
  /**
   * Returns an access token of the user who is signed in on your page, such as `paywall.token()` of the browser SDK; null if nobody is. Without
   * it the dialog has a session of its own.
   */
  token?: () => Promise<string | null>
  /** The language of the dialog, such as `de`. Default: the `lang` of your page, or else the browser's. */
  locale?: string
  /**
   * Called when a purchase has arrived, or a subscription has changed to another price or quantity. Grant nothing by it: your server reads
   * the user, or receives the event.
   */
  onBought?: (purchase: BoughtPurchase) => void
  onClose?: () => void
}

export interface PaywallDialog {
  open(): Promise<void>
  close(): void
}

/** The query parameter of a return from checkout. Its value is the dialog's URL, with what it opens as the fragment. */
const MARK = 'paywall_dialog'

/** How long a loaded frame may take to report before the browser goes to the site instead, in milliseconds. */
const READY_MS = 2_000

/** What a dialog opens. `after`: the buyer's latest purchase before the one for which it thanks. */
interface Opened {
  action: 'sell' | 'sell-again' | 'thank'
  after?: string
}

/** Where the URL of the page is kept during a checkout. */
const KEPT_PAGE = 'paywall_dialog'

/** The longest URL of the page that a checkout returns to as it is. The API takes 2,048 characters, including the mark. */
const MAX_PAGE_LENGTH = 1_500

/**
 * Creates a dialog with a paywall's site. After the return from a checkout that was opened in it, it opens by itself, waits for the purchase
 * and calls `onBought`. If the browser blocks the cookies of the dialog, or the page's origin is not listed, the browser goes to the site.
 *
 * @param site The URL of the paywall page: `https://pay.example.com`, or `https://billing.example.com/p/1001`.
 */
export function createDialog(site: string, options: DialogOptions = {}): PaywallDialog {
  const home = new URL(site.replace(/\/$/, ''))
  const base = new URL(`${home.pathname.replace(/\/$/, '')}/embed`, home).href
  let shown: HTMLDialogElement | null = null

  async function open(opened: Opened): Promise<void> {
    const given = (await options.token?.()) ?? ''
    if (shown) return
    const { dialog, frame } = showFrame()
    shown = dialog
    const closed = new AbortController()
    const style = addStyle()
    dialog.addEventListener('close', () => {
      closed.abort()
      dialog.remove()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== style)
      shown = null
      options.onClose?.()
    })
    const page = keepPage()
    const locale = options.locale ?? document.documentElement.lang
    const show = (token: string) => post(`${base}/dialog`, frame.name, { ...opened, page, token, locale })
    let last = given
    const renew = async () => {
      const token = (await options.token?.()) ?? ''
      // A token that was just refused would be refused again.
      if (token !== last) show(token)
      last = token
    }
    listen(dialog, frame, { home, signal: closed.signal, options, renew })
    show(given)
  }

  const opened = consumeReturn(base)
  if (opened) void open(opened)
  return { open: () => open({ action: 'sell' }), close: () => shown?.close() }
}

/**
 * Keeps the URL of the page for the return from a checkout, and returns as much of it as the checkout needs to know: without the fragment,
 * and without a query that is too long.
 */
function keepPage(): string {
  try {
    sessionStorage.setItem(KEPT_PAGE, location.href)
  } catch {
    // The browser denies storage: the buyer returns without the rest of the URL.
  }
  const page = location.origin + location.pathname + location.search
  return page.length > MAX_PAGE_LENGTH ? location.origin + location.pathname : page
}

/** What a return from checkout in this dialog opens; null if the page was opened otherwise. Restores the page's URL. */
function consumeReturn(base: string): Opened | null {
  const page = new URL(location.href)
  const [dialog, opens = ''] = page.searchParams.get(MARK)?.split('#') ?? []
  const [action, after = ''] = opens.split(':')
  if (dialog !== base || (action !== 'thank' && action !== 'sell-again')) return null
  page.searchParams.delete(MARK)
  history.replaceState(history.state, '', keptPage(page.pathname) ?? page)
  return { action, after }
}

/** The URL that was kept for this page; null if none was. */
function keptPage(pathname: string): URL | null {
  try {
    const kept = new URL(sessionStorage.getItem(KEPT_PAGE) ?? '')
    sessionStorage.removeItem(KEPT_PAGE)
    return kept.origin === location.origin && kept.pathname === pathname ? kept : null
  } catch {
    return null
  }
}

/** Adds a modal dialog with an empty frame to the page. */
function showFrame(): { dialog: HTMLDialogElement; frame: HTMLIFrameElement } {
  const dialog = document.createElement('dialog')
  const close = document.createElement('button')
  const frame = document.createElement('iframe')
  dialog.dataset.paywallDialog = ''
  close.type = 'button'
  close.textContent = '×'
  close.ariaLabel = 'Close'
  close.addEventListener('click', () => dialog.close())
  frame.name = `paywall-${crypto.randomUUID()}`
  frame.title = 'Paywall'
  dialog.append(close, frame)
  document.body.append(dialog)
  dialog.showModal()
  return { dialog, frame }
}

/** A `Content-Security-Policy` of the page may forbid inline styles, but not this. */
function addStyle(): CSSStyleSheet {
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  document.adoptedStyleSheets.push(style)
  return style
}

/** Reacts to what the pages in the frame report, until the dialog is closed. */
function listen(
  dialog: HTMLDialogElement,
  frame: HTMLIFrameElement,
  {
    home,
    signal,
    options,
    renew,
  }: { home: URL; signal: AbortSignal; options: DialogOptions; renew: () => Promise<void> },
): void {
  let lastBought: string | undefined
  let isReady = false
  function react(message: DialogMessage): void {
    if (message.type === 'ready') {
      isReady = true
      frame.title = message.title
      dialog.querySelector('button')?.setAttribute('aria-label', message.close)
    } else if (message.type === 'leave') {
      goTo(new URL(message.url))
    } else if (message.type === 'session-over') {
      void renew()
    } else if (message.type === 'close') {
      dialog.close()
    } else if (message.type === 'bought') {
      const { id, price_id, quantity } = message.purchase
      const bought = `${id} ${price_id} ${quantity}`
      // Its page may be loaded again. A change of plan keeps the id.
      if (bought !== lastBought) options.onBought?.(message.purchase)
      lastBought = bought
    }
  }
  // Any page may post a message: only those of the frame's own pages count.
  const onMessage = ({ source, origin, data }: MessageEvent<DialogMessage>) => {
    if (source === frame.contentWindow && origin === home.origin) react(data)
  }
  addEventListener('message', onMessage, { signal })
  const leaveUnlessReady = () => {
    if (!isReady && !signal.aborted) goTo(home)
  }
  const onLoad = () => {
    // Some browsers report the empty document of a new frame, which is of this page's origin.
    if (!frame.contentDocument) setTimeout(leaveUnlessReady, READY_MS)
  }
  frame.addEventListener('load', onLoad, { signal })
}

function goTo(url: URL): void {
  if (/^https?:$/.test(url.protocol)) location.assign(url)
}

/** Submits a form into a frame. A token in its body, unlike one in a URL, is in no log and no history. */
function post(action: string, target: string, fields: Record<string, string>): void {
  const form = document.createElement('form')
  Object.assign(form, { method: 'post', action, target, hidden: true })
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
  }
  document.body.append(form)
  form.submit()
  form.remove()
}

const STYLE = `
[data-paywall-dialog] {
  width: min(56rem, 100vw);
  height: min(52rem, 100dvh - 2rem);
  max-width: none;
  max-height: none;
  padding: 0;
  border: 0;
  border-radius: 0.875rem;
  overflow: hidden;
  box-shadow: 0 1rem 4rem rgb(0 0 0 / 35%);
}
[data-paywall-dialog]::backdrop {
  background: rgb(0 0 0 / 50%);
}
[data-paywall-dialog] > iframe {
  display: block;
  width: 100%;
  height: 100%;
  border: 0;
}
[data-paywall-dialog] > button {
  position: absolute;
  inset: 0.75rem 0.75rem auto auto;
  width: 2.5rem;
  height: 2.5rem;
  padding: 0;
  border: 0;
  border-radius: 50%;
  background: rgb(90 90 100 / 80%);
  color: #fff;
  font: 1.5rem/1 system-ui, sans-serif;
  cursor: pointer;
}
@media (max-width: 40rem) {
  [data-paywall-dialog] {
    width: 100vw;
    height: 100dvh;
    border-radius: 0;
  }
}
`
