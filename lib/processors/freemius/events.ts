import * as z from 'zod'
import { isSignedWith } from '../../crypto/crypto.ts'
import {
  InvalidSignature,
  MalformedEvent,
  type ProcessorEvent,
  parseEvent,
  processorId,
  type WebhookRequest,
} from '../event.ts'
import type { PaymentFact, SignedSale } from '../processor.ts'
import { Id, License, minorUnits, Payment, ReturnQuery, Subscription, time, User } from './objects.ts'
import { toInterval } from './translate.ts'

/** An event; `data` may also be text or a list. */
const Event = z.object({
  id: z.union([processorId, z.int().min(0).transform(String)]),
  type: z.string(),
  created: time,
  data: z.unknown().optional(),
  objects: z.looseObject({}).nullish(),
})
type Event = z.output<typeof Event>

type About = SignedSale['purchase']

const Body = z.string().transform((text): unknown => JSON.parse(text))
const LicenseContent = z.object({ license_id: Id })
const Environment = z.object({ environment: z.int() })

interface Account {
  secretKey: string
  /** Whether the paywall's purchases are those of the sandbox. One product has sandbox and live ones. */
  isTest: boolean
}

/** Verifies Freemius' signature over the raw body, which has no timestamp, then parses the event. */
export async function readFreemiusEvent(
  { secretKey, isTest }: Account,
  request: WebhookRequest,
): Promise<ProcessorEvent> {
  const signature = request.headers.get('x-signature') ?? ''
  if (!(await isSignedWith(secretKey, request.rawBody, signature))) {
    throw new InvalidSignature('freemius: invalid signature')
  }
  const event = parseEvent(Body.pipe(Event), request.rawBody)
  const result = (about: About | null, payment: PaymentFact | null = null, trialEnding = false) => ({
    id: event.id,
    about,
    payment,
    trialEnding,
  })
  if (isOtherMode(event, isTest)) return result(null)

  switch (event.type) {
    case 'license.created':
    case 'license.extended':
    case 'license.shortened':
    case 'license.updated':
    case 'license.plan.changed':
    case 'license.expired':
    case 'license.cancelled':
    case 'license.deleted':
    case 'subscription.created':
    case 'subscription.cancelled':
    case 'subscription.canceled':
      return result(licenseReference(event))
    case 'license.trial_expiring_notice.sent':
      return result(licenseReference(event), null, true)
    case 'subscription.renewal.failed':
    case 'subscription.renewal.failed.last':
      return result(licenseReference(event), toFailedPayment(event))
    // The money facts are in the read that follows: an event about returned money does not name the original payment.
    case 'payment.created':
    case 'payment.refund':
    case 'payment.dispute.created':
    case 'payment.dispute.closed':
    case 'payment.dispute.lost':
    case 'payment.dispute.won':
      return result(toReference(parseEvent(Payment, event.objects?.payment), event))
    default:
      // The owner chooses which events Freemius sends. Other types are not about purchases.
      return result(null)
  }
}

/** Sandbox and live events are sent to the same URL. */
function isOtherMode({ objects }: Event, isTest: boolean): boolean {
  return [objects?.license, objects?.subscription, objects?.payment].some((object) => {
    const { data } = Environment.safeParse(object)
    return data !== undefined && data.environment !== (isTest ? 1 : 0)
  })
}

/** The licence of an event: one of its objects, or named by an object or by the data. */
function readLicenseId({ objects, data }: Event): string {
  const named = [objects?.subscription, objects?.payment, data].map(
    (part) => LicenseContent.safeParse(part).data?.license_id,
  )
  const id = z.object({ id: Id }).safeParse(objects?.license).data?.id ?? named.find((each) => each !== undefined)
  if (id === undefined) throw new MalformedEvent('freemius: the event has no license')
  return id
}

function licenseReference(event: Event, kind: About['kind'] = 'subscription'): About {
  const user = User.safeParse(event.objects?.user).data
  return { kind, id: readLicenseId(event), ...(user && { soldTo: user.email }) }
}

/** A licence without a subscription is a one-time purchase. */
const toReference = ({ subscription_id }: Payment, event: Event): About =>
  licenseReference(event, subscription_id == null ? 'payment' : 'subscription')

/** A failed charge has no id of its own, and is no payment yet. The last one produces two events about the same charge. */
function toFailedPayment({ objects, created }: Event): PaymentFact | null {
  const subscription = parseEvent(Subscription, objects?.subscription)
  const license = parseEvent(License, objects?.license)
  const owedSince = Math.floor(
    (license.expiration ?? subscription.next_payment ?? subscription.created).getTime() / 1000,
  )
  const amount = minorUnits(subscription.renewal_amount, subscription.currency)
  const paymentId = `${subscription.id}:${owedSince}`
  const id = `${paymentId}:${subscription.failed_payments ?? 0}`
  return amount > 0
    ? { kind: 'failed', id, paymentId, amount, currency: subscription.currency, occurredAt: created }
    : null
}

/**
 * Verifies the URL that Freemius redirected a buyer to after a purchase, as its SDK does: spaces are `+`, whatever a proxy made of them,
 * and the signature covers the URL up to the signature. `origin` is the one that the owner entered in the dashboard, in case a proxy has
 * changed it. Parameters after the signature are not signed and are ignored.
 *
 * @throws InvalidSignature
 */
export async function readReturn(
  url: URL,
  { secretKey }: { secretKey: string },
  origin: string = url.origin,
): Promise<SignedSale> {
  const whole = `${origin}${url.pathname}${url.search.replaceAll('%20', '+')}`
  const [, signed = '', signature = ''] = /^(.*?)[?&]signature=([^&]*)/.exec(whole) ?? []
  if (!(await isSignedWith(secretKey, signed, signature)))
    throw new InvalidSignature('freemius: invalid signature of the return URL')
  const query = ReturnQuery.safeParse(Object.fromEntries(new URL(signed).searchParams))
  if (!query.success) throw new InvalidSignature('freemius: the return URL has no license', { cause: query.error })
  const { license_id, email, plan_id, pricing_id, billing_cycle, currency } = query.data
  return {
    purchase: { kind: 'subscription', id: license_id, soldTo: email },
    email,
    processorPrice: pricing_id === undefined ? null : `${plan_id}:${pricing_id}`,
    interval: toInterval(billing_cycle),
    currency,
  }
}
