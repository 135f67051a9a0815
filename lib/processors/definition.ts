import type { CheckoutSwitch } from './checkout-options.ts'
import type { Discount } from './discount.ts'
import type { Notice } from './event.ts'
import type { Interval } from './processor.ts'

/**
 * Everything that other modules must know about a processor. Nothing in here calls it, so the command, the documents and the Workers that
 * call no processor can import it.
 */
export interface ProcessorDefinition<Field extends string = string> {
  /** Display name, as the processor spells it. */
  title: string
  /** Its description in the contract (section 4.2). */
  kind: string
  /** The credentials of an account, by their names in the paywall file. */
  credentials: Readonly<Record<Field, CredentialDefinition>>
  /** Whether credentials are for test or live mode, if they show it. */
  detectMode(credentials: Readonly<Record<Field, string>>): 'test' | 'live' | null
  /** The meaning of `processorPrice` in the paywall file. */
  processorPrice: string
  /** The currencies that it charges, as ISO 4217 codes. */
  currencies: ReadonlySet<string>
  /** Maximum decimals per currency, for currencies in which it charges fewer than ISO 4217 defines. */
  decimals: Readonly<Record<string, number>>
  /** Why it cannot sell a price, apart from its currency; empty if it can. */
  priceProblems(price: OfferedPrice): PriceProblem[]
  /** Why it cannot sell some prices in combination with the paywall's others: the problems of each. */
  catalogueProblems?(prices: OfferedPrice[]): PriceProblem[][]
  checkoutOptions: CheckoutOptionSupport
  /** How offers take something off; null: they cannot. */
  discounts: DiscountSupport | null
  webhook: WebhookDefinition
  capabilities: Capabilities
  calls: CallLimits
}

/** Which options of `settings.checkout` can be set for a hosted page. */
export interface CheckoutOptionSupport {
  switches: Readonly<Record<CheckoutSwitch, SwitchSupport>>
  /** The languages of its pages, as BCP 47 writes them; empty if a page's language cannot be set. */
  locales: ReadonlySet<string>
  /** Whether a page may be in the language of its buyer, besides one that the owner has set. */
  usesBuyerLocale: boolean
}

/** The discounts that a processor takes off for an offer of the paywall file, on a page or from a subscription that runs. */
export interface DiscountSupport {
  /** The meaning of `processorDiscount` in an offer; null if the processor has no discounts, and is asked for less instead. */
  processorDiscount: string | null
  /** Why it cannot take a discount off a subscription exactly as offered, in words that follow its name; null if it can. */
  problem(discount: Discount, recurring: { interval: Interval; intervalCount: number }): string | null
  /** Why it cannot count the periods of a discount from the end of a trial, in words that follow its name; null if it does. */
  trialProblem: string | null
}

/**
 * `per page`: true and false are both possible. `always`, `never`: so it is on every page. `in its settings`: the owner decides at the
 * processor, for all pages.
 */
export type SwitchSupport = 'per page' | 'always' | 'never' | 'in its settings'

/** Rate limits of an account, by test and live mode. */
export interface CallLimits {
  /** The processor's total limit, or our assumption if it documents none. */
  test: CallLimit
  live: CallLimit
  /** Number of calls to read a purchase, or a page and what was bought on it, in the normal case. */
  perRead: number
}

export interface CallLimit {
  max: number
  /** Length of the window in seconds. */
  seconds: number
}

export interface CredentialDefinition {
  /** Secrets may be written only into the file of a test paywall. */
  secret: boolean
  /** Default: 1 to 500 printable characters. */
  pattern?: RegExp
  /** Whether it may be omitted. */
  optional?: boolean
  /** Where an owner finds it, in prose. */
  where: string
}

/** An offered price, `amount` in the minor units of ISO 4217; `local` is the index of a local price. */
export interface OfferedPrice {
  interval: Interval | null
  intervalCount: number
  trialDays: number
  variants: { local: number | null; processorPrice: string; currency: string; amount: number }[]
}

/** `local`: the index of the local price with the problem; null: the price itself. */
export interface PriceProblem {
  local: number | null
  field: 'processorPrice' | 'amount' | 'interval' | 'interval_count' | 'trial_days' | 'locals'
  message: string
}

export interface WebhookDefinition {
  /** The events that an owner subscribes to, by the processor's names. */
  events: readonly string[]
  /** Whether headers could be the processor's own. The check needs no secret, so forgeries are refused cheaply. */
  hasWellFormedSignature(headers: Headers, now: Date): boolean
  /** Reads an unsigned notice, for processors that send those to a webhook URL per sale. Null if it is none. */
  readNotice?(request: { address: URL; headers: Headers; rawBody: string }): Notice | null
}

/** Capabilities of a processor, where processors differ. */
export interface Capabilities {
  /** Whether it has a hosted portal for customers. */
  portal: boolean
  /** Which amount it charges: the one that the `processorPrice` has there, or the one in the paywall file. */
  chargedAmount: 'of its own price' | 'of the paywall file'
  /** `any`: every number of days; `of the product`: only the trial that the product has at the processor, or none. */
  trialLength: 'any' | 'of the product'
  /** What happens to a cancelled trial. */
  cancelledTrial: 'continues to its end' | 'ends at once'
  /** Whether a buyer or the owner can undo a cancellation at the processor. */
  supportsUncancel: boolean
  /** Whether a subscription can be ended there before its period is over. */
  supportsImmediateEnd: boolean
  /** Whether it sends a webhook for a cancellation, whoever requested it. */
  sendsCancellationWebhook: boolean
  /**
   * Whether the plan of a subscription can be changed through its API. `unless cancelled`: not while the subscription's end is scheduled.
   */
  changesPlan: 'always' | 'unless cancelled' | 'never'
  /** Whether such a change can wait for the end of the period. If not, it is possible at once only. */
  schedulesPlanChange: boolean
  /** Whether a payment can be refunded through its API. */
  refunds: 'any amount' | 'never'
  /** How it receives the reason of a cancellation. If that takes a call of its own, the cancellation is valid even if that call fails. */
  cancellationReason: 'with the cancellation' | 'in a separate call' | 'not at all'
  /** Whether an open hosted page can be closed. */
  expiresPages: boolean
  /** Whether a hosted page can be paid only once, and expires by itself. A link can be paid any number of times, and never expires. */
  pagesSellOnce: boolean
  /** Whether a repeated call with the same idempotency key has no second effect. */
  idempotencyKeys: boolean
  /** Whether a page or a change of plan can sell several units of a price: those with `per_unit`. */
  sellsUnits: boolean
  /** Whether it sells to buyers whose e-mail address is unknown to us. */
  sellsToAnonymous: boolean
  /** Whether a read of a purchase includes its payments: then a payment is reported even if its webhook is lost. */
  readsIncludePayments: boolean
  /** Whether it reports the tax in a payment. `if the total is paid at once`: it reports that of the invoice. */
  reportsTax: 'always' | 'if the total is paid at once' | 'never'
  /**
   * Whether it reports what was taken off before a payment. `if the total is paid at once`: as for the tax. `unless the plan was changed`:
   * not for the payment of a change of plan.
   */
  reportsDiscount: 'always' | 'if the total is paid at once' | 'unless the plan was changed' | 'never'
  /** Whether it reports the address of a payment's receipt with the payment. */
  reportsReceipt: boolean
  /** The form in which it offers the receipt of a payment later. */
  receipts: 'a page' | 'a PDF' | 'none'
  /** Whether it sends a webhook for a chargeback. */
  sendsDisputeWebhook: boolean
  /** Whether a chargeback returns the money before it is decided: then it refunds a one-time purchase. */
  refundsWhenDisputed: boolean
  /** What a webhook's headers prove. In any case, a webhook's content is only a hint. */
  webhookAuthenticates: 'the sender' | 'the sender and the body' | 'the sender, the body and the time'
  /** The return URL: one per page, or one that the owner enters once. */
  returnUrl: 'a URL per page' | 'one URL per product'
}

/** Reads the mode from a key's prefix: the first group of `prefix`. */
export function modeFromPrefix(key: string, prefix: RegExp): 'test' | 'live' | null {
  const mode = prefix.exec(key)?.[1]
  return mode === 'test' || mode === 'live' ? mode : null
}
