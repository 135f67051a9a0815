import { type CheckoutParams, startCheckout } from './checkout.ts'
import { type CallOptions, type Client, openClient, toOrigin, unwrap } from './client.ts'
import type { components } from './generated/api.ts'
import { createGrant, type EndGrantParams, endGrant, type GrantParams } from './grants.ts'
import { type Identity, snakeCase } from './identity.ts'
import { newKey } from './keys.ts'
import { changePlan, type PlanChangeParams, previewPlanChange, type QuotedChangeParams } from './plan-change.ts'
import { priceBook } from './prices.ts'
import type { TokenType } from './register.ts'
import { send } from './retry.ts'
import type * as Reply from './schemas.ts'
import { toKey } from './text-keys.ts'
import { openTicket, type TicketParams } from './ticket.ts'
import { nullIfSignedOut, nullIfUnknown, type SignedInUser, toUser, type User } from './user.ts'
import { userCache } from './user-cache.ts'
import type { PaywallEvent } from './webhooks.ts'

type Sent = components['schemas']

export interface PaywallOptions extends CallOptions {
  /** An owner key. It can act for every user of the owner, so keep it on your server. */
  key: string
  /** The paywall's id. */
  paywall: string
  /** The origin of the service, or of the paywall's own domain. */
  baseUrl: string
}

/** Options of a call that reads a user. */
export interface UserOptions extends CallOptions {
  /** The user's IP address, v4 or v6, which determines `country`, `tier` and `countryMatch`. Default: your server's address. */
  clientIp?: string
}

/** Options of a call that reads the user of an access token. */
export interface TokenOptions extends UserOptions {
  /** Reads the user now, even if it was read in the last 10 seconds: after a checkout, or before something expensive. */
  fresh?: boolean
}

/** A user's access token, as `Authorization: Bearer` brings it to your server. The whole header works, too; null if there is none. */
export interface AccessToken {
  token: string | null | undefined
}

/** Options of a call that changes something. */
export interface KeyedOptions extends CallOptions {
  /** An idempotency key, such as a job's id. A repeat with the same key and arguments has no further effect. Default: a new key. */
  key?: string
}

export interface EventsOptions extends CallOptions {
  /** The `cursor` of the last page that was handled. Default: begins with the oldest event that is kept, 30 days. */
  after?: string | undefined
}

/** Some events, and the cursor to store once they are handled. */
export interface EventPage {
  events: PaywallEvent[]
  cursor: string
}

/**
 * An owner's paywall, for the owner's server: the operations of section 4 of the contract, with an owner key. Every call throws a
 * `PaywallError` if it fails. Section 7 of the contract lists the errors; the most common codes are named here.
 */
export class Paywall {
  readonly #id: string
  readonly #client: Client
  /** Sends no key: for calls as a user, since a key takes precedence over a token. */
  readonly #keyless: Client
  readonly #users = userCache<SignedInUser>()
  readonly #prices

  /** @throws PaywallError invalid_url if `baseUrl` is not a URL */
  constructor({ key, baseUrl, ...options }: PaywallOptions) {
    this.#id = options.paywall
    const target = { ...options, baseUrl: toOrigin(baseUrl) }
    this.#client = openClient(target, async (request, how) => {
      request.headers.set('X-Api-Key', key)
      return send(request, how)
    })
    this.#keyless = openClient(target, send)
    this.#prices = priceBook(async (how) => (await this.bootstrap(how)).prices)
  }

  /** Reads everything needed to show the paywall (section 4.1). Prices are in major units: 9.99. */
  bootstrap(options?: CallOptions): Promise<Reply.Bootstrap> {
    return unwrap(this.#client(options).GET('/api/v1/paywall/{id}/bootstrap', this.#path()))
  }

  /**
   * Reads a user's purchases, balances, trial and country (section 4.3); null if the user is unknown, or not a member of this paywall.
   * Amounts of purchases are in minor units: 999.
   */
  user(who: Identity, options?: UserOptions): Promise<User | null>
  /**
   * Reads the user who calls your server, by the access token of its browser: verified by the service, and then remembered for 10 seconds.
   * Null if the token is missing, forged or expired, or its user is no member of this paywall.
   */
  user(who: AccessToken, options?: TokenOptions): Promise<SignedInUser | null>
  user(who: Identity | AccessToken, options: TokenOptions = {}): Promise<User | null> {
    return 'token' in who ? this.#readTokenUser(who, options) : this.#readUser(who, options)
  }

  #readUser(who: Identity, { clientIp, ...options }: UserOptions): Promise<User | null> {
    const params = { path: { id: this.#id }, query: snakeCase(who), header: clientIpHeader(clientIp) }
    const call = this.#client(options).GET('/api/v1/paywall/{id}/user', { params })
    return unwrap(call).then(toUser, nullIfUnknown)
  }

  async #readTokenUser(
    { token: given }: AccessToken,
    { clientIp, fresh = false, ...options }: TokenOptions,
  ): Promise<SignedInUser | null> {
    const token = given?.replace(/^Bearer +/i, '') ?? ''
    if (!JWT.test(token)) return null
    const key = `${clientIp} ${token}`
    const cached = fresh ? null : this.#users.get(key)
    if (cached) return cached
    const params = { path: { id: this.#id }, header: clientIpHeader(clientIp) }
    const headers = { Authorization: `Bearer ${token}` }
    const call = this.#keyless(options).GET('/api/v1/paywall/{id}/user', { params, headers })
    const user = (await unwrap(call).then(toUser, nullIfSignedOut)) as SignedInUser | null
    this.#users.set(key, user)
    return user
  }

  /**
   * Opens a hosted page for a price (section 4.2). Retries use the same generated Idempotency-Key. Pass a key of your own if the call may be
   * repeated after a restart of your server.
   *
   * @throws PaywallError unknown_price if the paywall has no price with that slug; active_purchase
   */
  async checkout({ price, ...input }: CheckoutParams, { key, ...options }: KeyedOptions = {}): Promise<Reply.Checkout> {
    const idempotencyKey = key === undefined ? newKey() : toKey(key)
    return this.#prices.sell(price, options, (priceId) =>
      startCheckout(this.#client(options), this.#id, { ...input, price: priceId }, idempotencyKey),
    )
  }

  /**
   * Cancels a subscription at the end of its period. It gives access until then (section 4.4).
   *
   * @throws PaywallError `Subscription not found`, `Subscription is already cancelled`
   */
  cancel(
    input: Identity & { subscriptionId: string; reason: string },
    options?: CallOptions,
  ): Promise<Reply.Cancelled> {
    const { reason, ...about } = input
    const body = { ...about, paywallId: this.#id, cancellationReason: reason }
    return unwrap(this.#client(options).POST('/api/paywall/cancel-subscription', { body }))
  }

  /**
   * Returns what a change of plan would cost. Pass its `quote` to `changePlan`: then exactly that is charged, unless it is an `estimate`.
   *
   * @throws PaywallError plan_change_unavailable if the processor cannot change plans, or not at that time, subscription_cancelled if it
   * cannot while the subscription is cancelled
   */
  previewPlanChange(input: Identity & PlanChangeParams, options: CallOptions = {}): Promise<Reply.PlanPreview> {
    return this.#prices.sell(input.price, options, (price) =>
      previewPlanChange(this.#client(options), this.#id, { ...input, price }),
    )
  }

  /**
   * Changes the plan of a subscription. If `checkoutUrl` is not null, redirect the user there: the plan changes once the difference is paid.
   * If `pending` is true, that takes days.
   *
   * @throws PaywallError quote_expired, payment_declined; nothing has changed then
   */
  changePlan(input: Identity & QuotedChangeParams, { key, ...options }: KeyedOptions = {}): Promise<Reply.ChangedPlan> {
    const idempotencyKey = key === undefined ? newKey() : toKey(key)
    return this.#prices.sell(input.price, options, (price) =>
      changePlan(this.#client(options), this.#id, { ...input, price }, idempotencyKey),
    )
  }

  /**
   * Ends a purchase at once, here and at its processor. Nothing is refunded. `purchaseId` is its `id`; `reason` is a note of yours.
   *
   * @throws PaywallError purchase_ended if it has ended already, purchase_not_found
   */
  endPurchase(
    { purchaseId, ...body }: Sent['PurchaseEnd'] & { purchaseId: string },
    options?: CallOptions,
  ): Promise<Reply.EndedPurchase> {
    const path = { id: this.#id, purchase: purchaseId }
    const call = this.#client(options).POST('/api/v1/paywall/{id}/purchases/{purchase}/end', { params: { path }, body })
    return unwrap(call)
  }

  /**
   * Refunds a payment of a purchase: by default all that is left of the latest one. `amount` is in minor units: 499. A subscription
   * continues. Retries use the same generated Idempotency-Key.
   *
   * @throws PaywallError refund_exceeds_payment, with `available` in its details, payment_refunded, payment_disputed; refund_unavailable if the
   * processor has no API for refunds. Nothing was refunded then
   */
  refundPurchase(
    { purchaseId, ...body }: Sent['PurchaseRefund'] & { purchaseId: string },
    options: KeyedOptions = {},
  ): Promise<Reply.RefundedPurchase> {
    const params = { path: { id: this.#id, purchase: purchaseId }, header: keyHeader(options) }
    return unwrap(this.#client(options).POST('/api/v1/paywall/{id}/purchases/{purchase}/refund', { params, body }))
  }

  /**
   * Creates a one-time URL of the customer portal at the processor (section 4.5).
   *
   * @throws PaywallError portal_unavailable if the processor has no portal, or the user no active subscription
   */
  async portal(input: Sent['GetCustomerPortal'], options?: CallOptions): Promise<string> {
    const call = this.#client(options).POST('/api/v1/paywall/{id}/get-customer-portal', {
      ...this.#path(),
      body: input,
    })
    return (await unwrap(call)).url
  }

  /** Adds tokens to a balance: a whole number of at least 1 (section 4.7). */
  credit(who: Identity, type: TokenType, amount: number, options?: KeyedOptions): Promise<Reply.ChangedBalance> {
    return this.#change('credit', who, { type, amount }, options)
  }

  /**
   * Debits tokens from a balance: a whole number of at least 1 (section 4.7).
   *
   * @throws PaywallError insufficient, with `available` in its details, if there are too few; nothing is debited then
   */
  debit(who: Identity, type: TokenType, amount: number, options?: KeyedOptions): Promise<Reply.ChangedBalance> {
    return this.#change('debit', who, { type, amount }, options)
  }

  /** The older way to debit tokens (section 4.8). `debit` does the same and also accepts an e-mail address. */
  async withdraw(
    input: Omit<Sent['Withdrawal'], 'paywall_id' | 'token_type'> & { token_type?: TokenType | null },
    options: KeyedOptions = {},
  ): Promise<Reply.Withdrawn> {
    const body = { ...input, paywall_id: this.#id }
    const headers = keyHeader(options)
    return unwrap(this.#client(options).POST('/api/v1/withdraw-tokens', { params: { header: headers }, body }))
  }

  /**
   * Gives a user access without a payment, until `endsAt` or for `days`, with the features of `price` (an extension of the contract). It
   * never prevents a purchase.
   *
   * @throws PaywallError identity_not_found and identity_not_on_paywall if this user never came to the paywall; price_not_found
   */
  createGrant(input: Identity & GrantParams, options: KeyedOptions = {}): Promise<Reply.Granted> {
    return createGrant(this.#client(options), this.#id, input, keyHeader(options))
  }

  /**
   * Ends a grant now. One that has ended stays as it is.
   *
   * @throws PaywallError grant_not_found
   */
  endGrant(input: EndGrantParams, options?: CallOptions): Promise<Reply.EndedGrant> {
    return endGrant(this.#client({ ...options, isIdempotent: true }), this.#id, input)
  }

  /**
   * Opens a support ticket for a guest, at most two in 24 hours (section 4.6). With images the default timeout is a minute.
   *
   * @throws PaywallError rate_limit_exceeded
   */
  ticket(input: TicketParams, options?: CallOptions): Promise<Reply.OpenedTicket> {
    return openTicket(this.#client, this.#id, input, options)
  }

  /** Signs in a user of yours, who need not prove anything to us: tokens for its browser or app. */
  signIn(input: Sent['ExchangeTokens'], options?: CallOptions): Promise<Reply.Tokens> {
    const call = this.#client(options).POST('/api/v1/paywall/{id}/sign-in/exchange', { ...this.#path(), body: input })
    return unwrap(call)
  }

  async #change(
    op: 'credit' | 'debit',
    who: Identity,
    change: { type: string; amount: number },
    options: KeyedOptions = {},
  ): Promise<Reply.ChangedBalance> {
    const params = { path: { id: this.#id }, header: keyHeader(options) }
    const body = { op, ...change, ...snakeCase(who) }
    return unwrap(this.#client(options).POST('/api/v1/paywall/{id}/balances', { params, body }))
  }

  /**
   * Reads the events of all your test paywalls, or with a live key of your live ones, page by page until there are no more: the same events
   * that your webhook endpoints get. Handle the events of a page, then store its `cursor`, and pass it as `after` the next time: nothing is
   * missed, and after a crash at most one page comes again. Events that are 30 days old no longer have personal data. `baseUrl` must be the
   * origin of the service.
   *
   * @throws PaywallError cursor_expired if events after the cursor are no longer listed: `details.oldest_cursor` is the one to go on with
   * @throws PaywallError not_found if `baseUrl` is a paywall's own domain
   */
  async *events({ after, ...options }: EventsOptions = {}): AsyncGenerator<EventPage> {
    let hasMore = true
    while (hasMore) {
      const query = after === undefined ? {} : { after }
      const page = await unwrap(this.#client(options).GET('/api/v1/events', { params: { query } }))
      after = page.next_cursor
      hasMore = page.has_more
      if (page.events.length > 0) yield { events: page.events as unknown as PaywallEvent[], cursor: after }
    }
  }

  #path() {
    return { params: { path: { id: this.#id } } }
  }
}

const clientIpHeader = (clientIp: string | undefined) => (clientIp === undefined ? {} : { 'X-Client-Ip': clientIp })

/** The format of an access token. Other text is nobody's token, and might not even be valid in a header. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Generates a key if none is given, so that a retry does not take effect twice. */
const keyHeader = ({ key }: KeyedOptions) => ({ 'Idempotency-Key': key === undefined ? newKey() : toKey(key) })
