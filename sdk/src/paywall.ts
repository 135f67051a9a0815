import { type CheckoutOrder, startCheckout } from './checkout.ts'
import { type CallOptions, type Client, clientOf, originOf, take } from './client.ts'
import type { components } from './generated/api.ts'
import { type Identity, snakeCase } from './identity.ts'
import { newKey } from './keys.ts'
import { priceBook } from './prices.ts'
import type { TokenType } from './register.ts'
import { send } from './retry.ts'
import type * as Reply from './schemas.ts'
import { keyOf } from './text-keys.ts'
import { openTicket, type TicketOrder } from './ticket.ts'
import { nullIfUnknown, type User, userOf } from './user.ts'

type Sent = components['schemas']

export interface PaywallOptions extends CallOptions {
  /** An owner key. It may act for every user of the owner: keep it on your server. */
  key: string
  /** The paywall's id. */
  paywall: string
  /** The service's origin, or that of the paywall's own domain. */
  baseUrl: string
}

/** A key of any text: a repeat with the same one is done once. */
export interface KeyedOptions extends CallOptions {
  key?: string
}

/** An owner's paywall, for the owner's server. Every call throws a `PaywallError` unless it was done. */
export class Paywall {
  readonly #id: string
  readonly #client: Client
  readonly #prices

  /** @throws PaywallError invalid_url if `baseUrl` is no URL */
  constructor({ key, baseUrl, ...options }: PaywallOptions) {
    this.#id = options.paywall
    this.#client = clientOf({ ...options, baseUrl: originOf(baseUrl) }, async (request, how) => {
      request.headers.set('X-Api-Key', key)
      return send(request, how)
    })
    this.#prices = priceBook(async (how) => (await this.bootstrap(how)).prices)
  }

  /** All that is needed to show the paywall. */
  bootstrap(options?: CallOptions): Promise<Reply.Bootstrap> {
    return take(this.#client(options).GET('/api/v1/paywall/{id}/bootstrap', this.#path()))
  }

  /** A user's purchases, balances, trial and country; null if nobody is known by that name. */
  async user(who: Identity, options?: CallOptions): Promise<User | null> {
    const query = snakeCase(who)
    const call = this.#client(options).GET('/api/v1/paywall/{id}/user', { params: { path: { id: this.#id }, query } })
    return take(call).then(userOf, nullIfUnknown)
  }

  /**
   * Opens a hosted page that sells a price. The Idempotency-Key is made here and kept over retries; give one of your own to keep it
   * over a restart of your server, too.
   */
  async checkout({ price, ...order }: CheckoutOrder, { key, ...options }: KeyedOptions = {}): Promise<Reply.Checkout> {
    const idempotencyKey = key === undefined ? newKey() : keyOf(key)
    return this.#prices.sell(price, options, (priceId) =>
      startCheckout(this.#client(options), this.#id, { ...order, price: priceId }, idempotencyKey),
    )
  }

  /** Stops a subscription at the end of its period. */
  cancel(
    order: Identity & { subscriptionId: string; reason: string },
    options?: CallOptions,
  ): Promise<Reply.Cancelled> {
    const { reason, ...about } = order
    const body = { ...about, paywallId: this.#id, cancellationReason: reason }
    return take(this.#client(options).POST('/api/paywall/cancel-subscription', { body }))
  }

  /** A one-time URL of the customer's portal at the processor. */
  async portal(order: Sent['GetCustomerPortal'], options?: CallOptions): Promise<string> {
    const call = this.#client(options).POST('/api/v1/paywall/{id}/get-customer-portal', {
      ...this.#path(),
      body: order,
    })
    return (await take(call)).url
  }

  /** Adds tokens to a balance. */
  credit(who: Identity, type: TokenType, amount: number, options?: KeyedOptions): Promise<Reply.ChangedBalance> {
    return this.#change('credit', who, { type, amount }, options)
  }

  /** Takes tokens from a balance; `insufficient`, with `available` in the error's details, if there are too few. */
  debit(who: Identity, type: TokenType, amount: number, options?: KeyedOptions): Promise<Reply.ChangedBalance> {
    return this.#change('debit', who, { type, amount }, options)
  }

  /** Takes tokens from a balance, the older way. `debit` does the same, also by e-mail address. */
  async withdraw(
    order: Omit<Sent['Withdrawal'], 'paywall_id' | 'token_type'> & { token_type?: TokenType | null },
    options: KeyedOptions = {},
  ): Promise<Reply.Withdrawn> {
    const body = { ...order, paywall_id: this.#id }
    const headers = keyHeader(options)
    return take(this.#client(options).POST('/api/v1/withdraw-tokens', { params: { header: headers }, body }))
  }

  /** Opens a support ticket for a guest. */
  ticket(order: TicketOrder, options?: CallOptions): Promise<Reply.OpenedTicket> {
    return openTicket(this.#client(options), this.#id, order)
  }

  /** Signs in a user of yours, who need not prove anything to us: tokens for its browser or app. */
  signIn(order: Sent['ExchangeTokens'], options?: CallOptions): Promise<Reply.Tokens> {
    const call = this.#client(options).POST('/api/v1/paywall/{id}/sign-in/exchange', { ...this.#path(), body: order })
    return take(call)
  }

  async #change(
    op: 'credit' | 'debit',
    who: Identity,
    change: { type: string; amount: number },
    options: KeyedOptions = {},
  ): Promise<Reply.ChangedBalance> {
    const params = { path: { id: this.#id }, header: keyHeader(options) }
    const body = { op, ...change, ...snakeCase(who) }
    return take(this.#client(options).POST('/api/v1/paywall/{id}/balances', { params, body }))
  }

  #path() {
    return { params: { path: { id: this.#id } } }
  }
}

/** A change that names no key gets one, so that a retry does not change twice. */
const keyHeader = ({ key }: KeyedOptions) => ({ 'Idempotency-Key': key === undefined ? newKey() : keyOf(key) })
