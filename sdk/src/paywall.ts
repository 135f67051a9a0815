import { type CheckoutOrder, startCheckout } from './checkout.ts'
import { type CallOptions, type Client, openClient, toOrigin, unwrap } from './client.ts'
import type { components } from './generated/api.ts'
import { type Identity, snakeCase } from './identity.ts'
import { newKey } from './keys.ts'
import { priceBook } from './prices.ts'
import type { TokenType } from './register.ts'
import { send } from './retry.ts'
import type * as Reply from './schemas.ts'
import { toKey } from './text-keys.ts'
import { openTicket, type TicketOrder } from './ticket.ts'
import { nullIfUnknown, toUser, type User } from './user.ts'

type Sent = components['schemas']

export interface PaywallOptions extends CallOptions {
  /** An owner key. It may act for every user of the owner: keep it on your server. */
  key: string
  /** The paywall's id. */
  paywall: string
  /** The service's origin, or that of the paywall's own domain. */
  baseUrl: string
}

/** What a call that reads a user can be given. */
export interface UserOptions extends CallOptions {
  /** The address of the user's device, IPv4 or IPv6: `country`, `tier` and `countryMatch` are of it. Without it they are of your server. */
  clientIp?: string
}

/** What a call that changes something can be given. */
export interface KeyedOptions extends CallOptions {
  /** Any text, such as the id of a job: a repeat with the same one, and the same order, is done once. One is made if it is left out. */
  key?: string
}

/**
 * An owner's paywall, for the owner's server: the operations of the contract's section 4, with an owner key. Every call throws a
 * `PaywallError` unless it was done; what each may be refused for is in the contract's section 7, and the commonest codes are named here.
 */
export class Paywall {
  readonly #id: string
  readonly #client: Client
  readonly #prices

  /** @throws PaywallError invalid_url if `baseUrl` is no URL */
  constructor({ key, baseUrl, ...options }: PaywallOptions) {
    this.#id = options.paywall
    this.#client = openClient({ ...options, baseUrl: toOrigin(baseUrl) }, async (request, how) => {
      request.headers.set('X-Api-Key', key)
      return send(request, how)
    })
    this.#prices = priceBook(async (how) => (await this.bootstrap(how)).prices)
  }

  /** All that is needed to show the paywall (section 4.1). Amounts of prices are in major units: 9.99. */
  bootstrap(options?: CallOptions): Promise<Reply.Bootstrap> {
    return unwrap(this.#client(options).GET('/api/v1/paywall/{id}/bootstrap', this.#path()))
  }

  /**
   * A user's purchases, balances, trial and country (section 4.3); null if nobody is known by that name, or nobody on this paywall.
   * Amounts of purchases are in minor units: 999.
   */
  async user(who: Identity, { clientIp, ...options }: UserOptions = {}): Promise<User | null> {
    const header = clientIp === undefined ? {} : { 'X-Client-Ip': clientIp }
    const params = { path: { id: this.#id }, query: snakeCase(who), header }
    const call = this.#client(options).GET('/api/v1/paywall/{id}/user', { params })
    return unwrap(call).then(toUser, nullIfUnknown)
  }

  /**
   * Opens a hosted page that sells a price (section 4.2). The Idempotency-Key is made here and kept over retries; give one of your own to
   * keep it over a restart of your server, too.
   *
   * @throws PaywallError unknown_price if the paywall sells no price of that slug; active_purchase
   */
  async checkout({ price, ...order }: CheckoutOrder, { key, ...options }: KeyedOptions = {}): Promise<Reply.Checkout> {
    const idempotencyKey = key === undefined ? newKey() : toKey(key)
    return this.#prices.sell(price, options, (priceId) =>
      startCheckout(this.#client(options), this.#id, { ...order, price: priceId }, idempotencyKey),
    )
  }

  /**
   * Stops a subscription at the end of its period, until when it gives access (section 4.4).
   *
   * @throws PaywallError `Subscription not found`, `Subscription is already cancelled`
   */
  cancel(
    order: Identity & { subscriptionId: string; reason: string },
    options?: CallOptions,
  ): Promise<Reply.Cancelled> {
    const { reason, ...about } = order
    const body = { ...about, paywallId: this.#id, cancellationReason: reason }
    return unwrap(this.#client(options).POST('/api/paywall/cancel-subscription', { body }))
  }

  /**
   * A one-time URL of the customer's portal at the processor (section 4.5).
   *
   * @throws PaywallError portal_unavailable if the processor has none, or the user has no active subscription
   */
  async portal(order: Sent['GetCustomerPortal'], options?: CallOptions): Promise<string> {
    const call = this.#client(options).POST('/api/v1/paywall/{id}/get-customer-portal', {
      ...this.#path(),
      body: order,
    })
    return (await unwrap(call)).url
  }

  /** Adds tokens to a balance: a whole number, from 1 (section 4.7). */
  credit(who: Identity, type: TokenType, amount: number, options?: KeyedOptions): Promise<Reply.ChangedBalance> {
    return this.#change('credit', who, { type, amount }, options)
  }

  /**
   * Takes tokens from a balance: a whole number, from 1 (section 4.7).
   *
   * @throws PaywallError insufficient, with `available` in its details, if there are too few: then none is taken
   */
  debit(who: Identity, type: TokenType, amount: number, options?: KeyedOptions): Promise<Reply.ChangedBalance> {
    return this.#change('debit', who, { type, amount }, options)
  }

  /** Takes tokens from a balance, the older way (section 4.8). `debit` does the same, also by e-mail address. */
  async withdraw(
    order: Omit<Sent['Withdrawal'], 'paywall_id' | 'token_type'> & { token_type?: TokenType | null },
    options: KeyedOptions = {},
  ): Promise<Reply.Withdrawn> {
    const body = { ...order, paywall_id: this.#id }
    const headers = keyHeader(options)
    return unwrap(this.#client(options).POST('/api/v1/withdraw-tokens', { params: { header: headers }, body }))
  }

  /**
   * Opens a support ticket for a guest, who has two in 24 hours (section 4.6). With images the timeout is a minute, unless `options` says
   * otherwise.
   *
   * @throws PaywallError rate_limit_exceeded
   */
  ticket(order: TicketOrder, options?: CallOptions): Promise<Reply.OpenedTicket> {
    return openTicket(this.#client, this.#id, order, options)
  }

  /** Signs in a user of yours, who need not prove anything to us: tokens for its browser or app. */
  signIn(order: Sent['ExchangeTokens'], options?: CallOptions): Promise<Reply.Tokens> {
    const call = this.#client(options).POST('/api/v1/paywall/{id}/sign-in/exchange', { ...this.#path(), body: order })
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

  #path() {
    return { params: { path: { id: this.#id } } }
  }
}

/** A change that names no key gets one, so that a retry does not change twice. */
const keyHeader = ({ key }: KeyedOptions) => ({ 'Idempotency-Key': key === undefined ? newKey() : toKey(key) })
