import { abortable } from '../abortable.ts'
import { type CheckoutParams, startCheckout } from '../checkout.ts'
import { type CallOptions, type Client, unwrap } from '../client.ts'
import { PaywallError } from '../error.ts'
import { newKey } from '../keys.ts'
import { changePlan, type PlanChangeParams, previewPlanChange, type QuotedChangeParams } from '../plan-change.ts'
import { priceBook } from '../prices.ts'
import type { FeatureName, PriceName, TokenType } from '../register.ts'
import type * as Reply from '../schemas.ts'
import { openTicket, type TicketParams } from '../ticket.ts'
import { toUser, type User } from '../user.ts'
import { lastClickedPage } from './clicks.ts'
import { goTo, pageLanguage, type ReturnUrls, returnUrls } from './page.ts'
import { waitForPlan } from './plan-wait.ts'
import type { PurchaseWait } from './purchase-wait.ts'
import type { KeptSession } from './session.ts'
import type { Kept } from './store.ts'
import type { Listener, WatchedUser } from './watched-user.ts'

/** The options of start-checkout that users may set. `locale`: default the `lang` of your page. */
export type OpenParams = ReturnUrls &
  Pick<
    CheckoutParams,
    'trialDays' | 'ignoreActivePurchase' | 'userMeta' | 'shopUrl' | 'quantity' | 'offer' | 'code' | 'locale'
  >

/** `captchaToken`: the token of a solved captcha, where one was asked for. */
export type CodeOptions = CallOptions & { captchaToken?: string }

export type WaitOptions = Pick<CallOptions, 'signal'> & { until?: (user: User) => boolean }

/** What `createPaywall` passes to a paywall. */
export interface PaywallDependencies {
  /** Calls as the signed-in user. */
  client: Client
  /** Calls as a guest, even if a user is signed in. */
  guest: Client
  /** The access token of the signed-in user; null if nobody is signed in. */
  token: () => Promise<string | null>
  /** Null if the page's server manages the session. */
  session: KeptSession | null
  watched: WatchedUser
  wait: PurchaseWait
  /** The address that the last code was mailed to, and the challenge that it works with. */
  sentCode: Kept<{ email: string; challenge: string }>
}

/** A paywall in a user's browser. Every call throws a `PaywallError` if it fails. */
export class BrowserPaywall {
  /** The paywall's id. */
  readonly id: string
  readonly #parts: PaywallDependencies
  readonly #prices = priceBook(async (options) => (await this.bootstrap(options)).prices)
  readonly #pageOfLastClick = lastClickedPage<Reply.Checkout>(({ checkoutUrl }) => {
    this.#parts.wait.remember()
    goTo(checkoutUrl)
  })

  constructor(id: string, parts: PaywallDependencies) {
    this.id = id
    this.#parts = parts
  }

  /** The signed-in user, possibly anonymous, as last read; null if nobody is signed in. */
  get user(): User | null {
    return this.#parts.watched.user
  }

  /** Whether the buyer has just returned from paying and the purchase has not arrived yet. */
  get isWaiting(): boolean {
    return this.#parts.wait.isWaiting
  }

  /** Whether a purchase or a grant that gives access now has this feature. `user.paid` is true if any of them gives access, including the cheapest. */
  can(feature: FeatureName): boolean {
    return this.user?.can(feature) ?? false
  }

  /** How many tokens of a type the user has; 0 if nobody is signed in. */
  balance(type: TokenType): number {
    return this.user?.balance(type) ?? 0
  }

  /**
   * An access token for calls to your own server, which passes it to `user({ token })` of the server SDK; null if nobody is signed in. Valid
   * for at least a minute: call it before each request, and do not store it.
   */
  token(): Promise<string | null> {
    return this.#parts.token()
  }

  /**
   * Calls `listener` now, and after each change of `user` or `isWaiting` in any tab, with the user and the reason. Returns a function that
   * removes it.
   */
  onChange(listener: Listener): () => void {
    return this.#parts.watched.listen(listener)
  }

  /** Reads the user again, for example after your server has changed a balance. */
  refresh(options?: CallOptions): Promise<User | null> {
    return this.#parts.watched.refresh(options)
  }

  /** Reads everything needed to show the paywall. */
  bootstrap(options?: CallOptions): Promise<Reply.Bootstrap> {
    return unwrap(this.#parts.guest(options).GET('/api/v1/paywall/{id}/bootstrap', this.#path()))
  }

  /**
   * Opens a hosted page for a price, given by slug or id, and navigates there. A visitor who is not signed in buys as an anonymous user, and
   * can add an e-mail address later with `signIn`. After the return, `onChange` reports the purchase. If several pages are opened at the
   * same time, the browser goes to the last.
   */
  async open(price: PriceName, input: OpenParams = {}, options: CallOptions = {}): Promise<Reply.Checkout> {
    const { client, session } = this.#parts
    const wanted = { locale: pageLanguage(), ...input, ...returnUrls(this.id, input) }
    const open = async (key: string) => {
      await session?.begin(options)
      return this.#prices.sell(price, options, (priceId) =>
        startCheckout(client(options), this.id, { ...wanted, price: priceId }, key),
      )
    }
    return abortable([options.signal], () => this.#pageOfLastClick(JSON.stringify([price, wanted]), open))
  }

  /**
   * Waits for a purchase after the return from checkout. `open` starts this on the page to which the buyer returns. Resolves to false if
   * it has not arrived after 30 seconds, or nobody is signed in.
   *
   * @param options.until Whether a user has what is waited for. Default: a purchase that was not there when `open` was called; if it was not
   *   called here, access.
   */
  waitForPurchase({ signal, until }: WaitOptions = {}): Promise<boolean> {
    return abortable([signal], () => this.#parts.wait.run(until))
  }

  /**
   * Mails a code, which `confirm` takes. If it throws `rate_limit_exceeded` and the error's `details` have `captcha: 'turnstile'`, show
   * Cloudflare's Turnstile widget with their `site_key`, and call it again with the token as `captchaToken`.
   */
  async signIn(email: string, { captchaToken, ...options }: CodeOptions = {}): Promise<void> {
    const { guest, sentCode } = this.#parts
    const body = { email, ...(captchaToken !== undefined && { captcha_token: captchaToken }) }
    const call = guest(options).POST('/api/v1/paywall/{id}/sign-in/code', { ...this.#path(), body })
    const { challenge } = await unwrap(call)
    sentCode.write({ email, challenge })
  }

  /**
   * Mails a code to the address that something was bought with, by somebody who was not signed in and has lost that browser: `confirm`
   * brings it here. It is the same code as that of `signIn`, and the mail says what it brings.
   */
  restore(email: string, options?: CodeOptions): Promise<void> {
    return this.signIn(email, options)
  }

  /**
   * Signs in by the code from the mail. What an anonymous user has, who was signed in here so far, is moved to the user of the address.
   * So is what others bought with it without signing in, unless `restore` is false.
   */
  async confirm(
    code: string,
    { restore = true, ...options }: CallOptions & { restore?: boolean } = {},
  ): Promise<User | null> {
    const { client, sentCode, watched } = this.#parts
    const session = this.#keptSession()
    const sent = sentCode.read()
    if (!sent) throw refused('no_code_sent', 'Ask for a code first.')
    const body = { grant_type: 'code' as const, ...sent, code, restore }
    session.keep(await unwrap(client(options).POST('/api/v1/paywall/{id}/sign-in/token', { ...this.#path(), body })))
    sentCode.write(null)
    return watched.refresh({ reason: 'signed_in' })
  }

  /** Signs out, in all tabs: here in any case, at the service unless it throws. */
  async signOut(options: CallOptions = {}): Promise<void> {
    const ended = this.#keptSession().end(options)
    this.#parts.watched.set(null, { reason: 'signed_out' })
    await ended
  }

  /** Cancels a subscription at the end of its period. An anonymous user has to sign in first. */
  async cancel(
    { subscriptionId, reason }: { subscriptionId: string; reason: string },
    options?: CallOptions,
  ): Promise<Reply.Cancelled> {
    const body = { subscriptionId, cancellationReason: reason }
    const cancelled = await unwrap(this.#parts.client(options).POST('/api/paywall/cancel-subscription', { body }))
    const { user } = this
    if (user) this.#parts.watched.set(withSubscription(user, cancelled.subscription), { reason: 'cancelled' })
    return cancelled
  }

  /** Returns what a change of plan would cost. Pass its `quote` to `changePlan`: then exactly that is charged, unless it is an `estimate`. */
  previewPlanChange(input: PlanChangeParams, options: CallOptions = {}): Promise<Reply.PlanPreview> {
    return this.#prices.sell(input.price, options, (price) =>
      previewPlanChange(this.#parts.client(options), this.id, { ...input, price }),
    )
  }

  /**
   * Changes the plan of the user's subscription, and resolves when `user` shows that, which takes a few seconds at most. If `checkoutUrl` is not
   * null, go there: the plan changes once the buyer has paid. If `pending` is true, that takes days.
   */
  async changePlan(input: QuotedChangeParams, options: CallOptions = {}): Promise<Reply.ChangedPlan> {
    const key = newKey()
    const changed = await this.#prices.sell(input.price, options, (price) =>
      changePlan(this.#parts.client(options), this.id, { ...input, price }, key),
    )
    if (!changed.checkoutUrl && !changed.pending) await waitForPlan(this.#parts.watched, changed)
    return changed
  }

  /** Creates a one-time URL of the user's portal at the processor. */
  async portal(options?: CallOptions): Promise<string> {
    const call = this.#parts.client(options).POST('/api/v1/paywall/{id}/get-customer-portal', this.#path())
    return (await unwrap(call)).url
  }

  /** Opens a support ticket. Guests must give `customer_email`. With images the default timeout is a minute. */
  ticket(input: TicketParams, options?: CallOptions): Promise<Reply.OpenedTicket> {
    return openTicket(this.#parts.client, this.id, input, options)
  }

  #path() {
    return { params: { path: { id: this.id } } }
  }

  #keptSession(): KeptSession {
    const { session } = this.#parts
    if (session) return session
    throw refused('session_elsewhere', 'The page’s server manages the session, so sign in and out there.')
  }
}

/** Applies a cancellation to the user at once: the service stores it only when the processor reports it. */
function withSubscription(user: User, subscription: Reply.Cancelled['subscription']): User {
  const purchases = user.purchases.map((each) => (each.id === subscription.id ? { ...each, ...subscription } : each))
  return toUser({ ...user, purchases })
}

const refused = (code: string, message: string) => new PaywallError({ status: 0, code, message })
