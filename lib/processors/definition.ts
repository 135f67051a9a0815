import type { Notice } from './event.ts'
import type { Interval } from './processor.ts'

/**
 * All that others must know of a processor. Nothing in here calls it, so the command, the documents and the Workers that
 * call no processor can read it.
 */
export interface ProcessorDefinition<Field extends string = string> {
  /** As it writes its own name. */
  title: string
  /** What it is, in the words of the contract (section 4.2). */
  kind: string
  /** What an owner's account is reached with, by the names in the paywall file. */
  credentials: Readonly<Record<Field, CredentialDefinition>>
  /** Whether credentials are for test or live money, if they say so themselves. */
  detectMode(credentials: Readonly<Record<Field, string>>): 'test' | 'live' | null
  /** What `processorPrice` is in the paywall file. */
  processorPrice: string
  /** The currencies that it charges, by their codes in ISO 4217. */
  currencies: ReadonlySet<string>
  /** The decimals that it charges at most, of the currencies that have more. */
  decimals: Readonly<Record<string, number>>
  /** Why it cannot sell a price, apart from its currency; empty if it can. */
  priceProblems(price: OfferedPrice): PriceProblem[]
  /** Why it cannot sell some prices beside the others of the paywall: the problems of each. */
  catalogueProblems?(prices: OfferedPrice[]): PriceProblem[][]
  webhook: WebhookDefinition
  capabilities: Capabilities
  calls: CallLimits
}

/** How fast an account may be asked, by test and live mode. */
export interface CallLimits {
  /** What the processor allows in all; where it names no limit, what we take for one. */
  test: CallLimit
  live: CallLimit
  /** How many calls it takes to read a purchase, or a page and what was bought on it, where nothing is unusual. */
  perRead: number
}

export interface CallLimit {
  most: number
  /** Within how many seconds. */
  seconds: number
}

export interface CredentialDefinition {
  /** Secrets may be in the file of a test paywall only. */
  secret: boolean
  /** 1 to 500 printable characters, if it is left out. */
  pattern?: RegExp
  /** Whether an account can do without it. */
  optional?: boolean
  /** Where an owner finds it, for people. */
  where: string
}

/** A price as it is offered, `amount` in the minor units of ISO 4217; `local` counts its local prices from 0. */
export interface OfferedPrice {
  interval: Interval | null
  intervalCount: number
  trialDays: number
  variants: { local: number | null; processorPrice: string; currency: string; amount: number }[]
}

/** `local`: which local price is wrong; null: the price itself. */
export interface PriceProblem {
  local: number | null
  field: 'processorPrice' | 'amount' | 'interval' | 'interval_count' | 'trial_days' | 'locals'
  message: string
}

export interface WebhookDefinition {
  /** The events that an owner subscribes to, by the processor's names. */
  events: readonly string[]
  /** Whether headers could be the processor's own. It takes no secret to see that, so forgeries cost next to nothing. */
  couldBeSigned(headers: Headers, now: Date): boolean
  /** Reads an unsigned notice, where the processor sends those to an address that each sale gives it. Null: it is none. */
  readNotice?(inbound: { address: URL; headers: Headers; rawBody: string }): Notice | null
}

/** What a processor can and cannot do, where they differ. */
export interface Capabilities {
  /** Whether it has a hosted portal for customers. */
  portal: boolean
  /** `any number of days`, or only the days that the product has at the processor, or none. */
  trialLength: 'any' | 'of the product'
  /** What becomes of a trial that is cancelled. */
  cancelledTrial: 'goes on to its end' | 'ends at once'
  /** Whether a buyer or the owner can take a cancellation back at the processor. */
  supportsUncancel: boolean
  /** Whether a subscription can be ended there before its period is over. */
  supportsImmediateEnd: boolean
  /** Whether it sends a webhook of a cancellation, whoever asked for it. */
  sendsCancellationWebhook: boolean
  /** How it is told why somebody cancels. Where that takes a call of its own, the cancellation stands if that call fails. */
  keepsReason: 'with the cancellation' | 'by a call of its own' | 'not at all'
  /** Whether an open hosted page can be closed. */
  expiresPages: boolean
  /** Whether a hosted page can be paid once only, and ends by itself. A link sells as often as it is paid, and never expires. */
  pagesSellOnce: boolean
  /** Whether a repeated call with the same idempotency key has no second effect. */
  idempotencyKeys: boolean
  /** Whether it sells to buyers of whom we know no e-mail address. */
  sellsToAnonymous: boolean
  /** Whether a read of a purchase shows its payments: one whose webhook is lost is reported all the same. */
  readsIncludePayments: boolean
  /** Whether it tells of a chargeback. */
  sendsDisputeWebhook: boolean
  /** Whether a chargeback gives the money back before it is decided: then a one-time purchase is refunded by it. */
  refundsWhatIsDisputed: boolean
  /** What a webhook's headers prove. Whatever they leave open, what a webhook says is a hint only. */
  webhooksProve: 'the sender' | 'the sender and the body' | 'the sender, the body and the time'
  /** Where the browser returns to: an address of each page, or one that the owner enters once. */
  returnsTo: 'an address of the page' | 'one address of the product'
}

/** The mode that a key names in its prefix, which is the first group of `prefix`. */
export function modeFromPrefix(key: string, prefix: RegExp): 'test' | 'live' | null {
  const mode = prefix.exec(key)?.[1]
  return mode === 'test' || mode === 'live' ? mode : null
}
