import * as z from 'zod'
import type { GateRefusal } from '../../lib/auth/gate.ts'
import { callerErrors } from '../../lib/auth/gate-errors.ts'
import { isCountry, UNKNOWN_COUNTRY } from '../../lib/geo/countries.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { LOCALE_LENGTH, MAX_QUANTITY, OFFER_LENGTH } from '../../lib/http/input-limits.ts'
import { idempotencyErrors } from '../../lib/http/shared-errors.ts'
import { externalIdOr, newEmail, USER_META, userMeta } from '../../lib/http/user-fields.ts'
import type { NameRefusal } from '../../lib/members/member.ts'
import { metaErrors, nameErrors } from '../../lib/members/member-errors.ts'
import { PURCHASE_STATUSES } from '../../lib/processors/processor.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'

export const PATH = '/api/v1/paywall/:id/start-checkout'

/**
 * Why no checkout is opened: see claim-checkout.sql. `full_meta`: the user's meta would be too large. `too_many_pages`: the user, its
 * network or the paywall has opened too many. `fixed_trial`: the processor does not support the requested trial. `too_many_codes`: the user or
 * its network has tried too many wrong codes. `not_per_unit`: several units of a price that is sold one at a time.
 */
export type CheckoutRefusal =
  | GateRefusal
  | 'key_reused'
  | 'key_required'
  | 'missing_parameters'
  | 'unknown_price'
  | 'active_purchase'
  | 'full_meta'
  | NameRefusal
  | 'too_many_pages'
  | 'foreign_success_url'
  | 'foreign_error_url'
  | 'fixed_trial'
  | 'invalid_offer'
  | 'too_many_codes'
  | 'not_per_unit'

/** Why a call does not get the offer that it names: the `message` of each. See find-offer.sql. */
export const OFFER_PROBLEMS = {
  unknown: 'There is no such offer',
  not_for_purchases: 'This offer is for subscribers who are about to cancel',
  not_started: 'This offer has not started yet',
  ended: 'This offer has ended',
  other_price: 'This offer does not apply to this price',
  other_country: "This offer is not available in the buyer's country",
  no_trial: 'This offer cannot be combined with a trial',
  used_up: 'This offer has been used up',
  used: 'This offer can be used once, and the user has used it',
} as const
export type OfferProblem = keyof typeof OFFER_PROBLEMS

type NamedRefusal =
  | CheckoutRefusal
  | 'missing_email'
  | 'no_credential'
  | 'bad_token'
  | 'in_progress'
  | 'missing_price'
  | 'missing_targets'

/**
 * The error for each refusal (contract section 7). `active_purchase` carries `hasActivePurchase`. The three for missing parameters are
 * fixed texts for clients to compare with: `message` lists the parameters that are missing.
 */
export const errors = defineErrors<NamedRefusal>({
  ...callerErrors,
  missing_parameters: [400, 'Missing required parameters: email, priceId', 'Required fields are missing'],
  missing_email: [
    400,
    'Missing required parameters: email',
    'The processor requires an e-mail address, and the user has none',
  ],
  missing_price: [400, 'Missing required parameters: priceId', '`priceId` is missing'],
  missing_targets: [
    400,
    'Missing required parameters: successUrl, errorUrl',
    '`successUrl` or `errorUrl` is missing, and the paywall has no page of its own to use instead',
  ],
  ...idempotencyErrors,
  key_required: [400, 'idempotency_key_required', 'A live paywall requires an `Idempotency-Key`'],
  unknown_price: [
    404,
    'price_not_found',
    'The paywall does not sell this price, or no longer does. Read bootstrap again',
  ],
  active_purchase: [
    409,
    'active_purchase',
    'The user has an active subscription, or has already bought this one-time price (the payment may still be pending). ' +
      'Send `ignoreActivePurchase: true` to sell anyway',
  ],
  in_progress: [
    409,
    'checkout_in_progress',
    'An earlier call with this `Idempotency-Key` is still running. Repeat yours after the time in `Retry-After`',
  ],
  ...metaErrors,
  ...nameErrors,
  too_many_pages: [
    429,
    'rate_limit_exceeded',
    'The user already opened ten pages in ten minutes, or too many were opened from its network or on the paywall. Wait for ' +
      'the time in `Retry-After`',
  ],
  foreign_success_url: [
    400,
    'Invalid successUrl format',
    'With a Bearer token, the origin of `successUrl` must be in `settings.redirect_origins` or `settings.embed_origins`, or that ' +
      "of the paywall's domain or of a page in its settings",
  ],
  foreign_error_url: [
    400,
    'Invalid errorUrl format',
    'With a Bearer token, the origin of `errorUrl` must be in `settings.redirect_origins` or `settings.embed_origins`, or that of ' +
      "the paywall's domain or of a page in its settings",
  ],
  fixed_trial: [400, 'Invalid trial_days', "The processor's plans define the trials"],
  invalid_offer: [400, 'invalid_offer', 'This buyer cannot use the offer: see `reason`'],
  not_per_unit: [400, 'Invalid quantity', 'The price is not sold per unit: its `per_unit` is false'],
  too_many_codes: [
    429,
    'rate_limit_exceeded',
    'The user has tried ten wrong codes of offers in an hour, or its network has tried 50. Wait for the time in `Retry-After`',
  ],
})

const URL_LENGTH = 2048
const PRICE_ID_LENGTH = 100
/** Two years. */
const TRIAL_DAYS = 730

describeCodes({
  'Invalid priceId format': `\`priceId\` must be a string of at most ${PRICE_ID_LENGTH} characters`,
  'Invalid successUrl format': `\`successUrl\` must be an http or https URL of at most ${URL_LENGTH} characters`,
  'Invalid errorUrl format': `\`errorUrl\` must be an http or https URL of at most ${URL_LENGTH} characters`,
  'Invalid shopUrl format': `\`shopUrl\` must be a string of at most ${URL_LENGTH} characters`,
  'Invalid trial_days': `\`trial_days\` must be an integer from 0 to ${TRIAL_DAYS}`,
  'Invalid quantity': `\`quantity\` must be an integer from 1 to ${MAX_QUANTITY}`,
  'Invalid offer': `\`offer\` must be a string of at most ${OFFER_LENGTH} characters`,
  'Invalid code': `\`code\` must be a string of at most ${OFFER_LENGTH} characters`,
  'Invalid locale': `\`locale\` must be a string of at most ${LOCALE_LENGTH} characters`,
  'Invalid ignoreActivePurchase': '`ignoreActivePurchase` must be true or false',
  'Invalid country': '`country` must be a country code of ISO 3166-1 alpha-2, such as US, or XX',
  'Invalid localCurrency': '`localCurrency` must be a currency code of three letters',
})

/** Absent, null and empty are equivalent, so that a form may send blank fields. */
const blank = z
  .literal('')
  .nullish()
  .transform(() => null)

/** A field that may be blank. Every check repeats the code, because a union reports the messages of its branches. */
function optional<Schema extends z.ZodType>(code: string, schema: (code: string) => Schema) {
  return z.union([blank, schema(code)], code)
}

const url = (name: string) =>
  optional(`Invalid ${name} format`, (code) => z.url({ protocol: /^https?$/, error: code }).max(URL_LENGTH, code))

export const Body = z
  .object(
    {
      email: optional('Invalid email format', () => newEmail).describe(
        "The buyer's e-mail address. Required with an owner key unless `externalId` is sent. Ignored with a Bearer " +
          'token, whose user is the buyer',
      ),
      externalId: externalIdOr('Invalid externalId').describe(
        'With an owner key: your own id of the buyer. If `email` is sent too, both must belong to the same user; an ' +
          'identifier that the user lacks is added. Ignored with a Bearer token',
      ),
      // Null is accepted here, so that it is reported as missing.
      priceId: optional('Invalid priceId format', (code) => z.string().max(PRICE_ID_LENGTH, code)).meta({
        type: 'string',
        description: 'A `prices[].id` from bootstrap',
      }),
      successUrl: url('successUrl').describe(
        'Redirect target after payment, an http or https URL. `__SESSION__` in it is replaced with the id of the ' +
          'checkout. Optional on a paywall with its own domain: the default is `settings.success_redirect_url`, or ' +
          'else the page `/thanks` of that domain',
      ),
      errorUrl: url('errorUrl').describe(
        'Redirect target of a buyer who did not pay. Optional on a paywall with its own domain: the default is ' +
          '`settings.error_redirect_url`, then `settings.success_redirect_url`, or else the front page of that domain',
      ),
      shopUrl: optional('Invalid shopUrl format', (code) => z.string().max(URL_LENGTH, code)).describe(
        'The page on which the buyer started, in any format. Repeated in the event `checkout.completed`',
      ),
      trial_days: optional('Invalid trial_days', (code) => z.int(code).min(0, code).max(TRIAL_DAYS, code)).describe(
        "Trial days before the first payment, instead of the price's own; 0 for no trial. A user gets one trial per " +
          'paywall; only a call with an owner key can give a further one. With a Bearer token the value is limited to ' +
          "the price's own, or to `settings.max_trial_days` if that is more. If the processor fixes trials per plan, " +
          "only 0 and the price's own are accepted",
      ),
      quantity: z
        .union(
          [
            blank.transform(() => 1),
            z.int('Invalid quantity').min(1, 'Invalid quantity').max(MAX_QUANTITY, 'Invalid quantity'),
          ],
          'Invalid quantity',
        )
        .describe(
          'How many units to sell, such as seats, of a price with `per_unit`. The amount and the tokens of the price are those of one ' +
            'unit. The `amount` of an offer is deducted once, not per unit. Default 1',
        ),
      offer: optional('Invalid offer', (code) => z.string(code).max(OFFER_LENGTH, code)).describe(
        'The `id` of an offer from bootstrap, to sell at its discount. Each user can use an offer once',
      ),
      code: optional('Invalid code', (code) => z.string(code).trim().max(OFFER_LENGTH, code)).describe(
        'A code that the buyer has entered, instead of `offer`, in upper or lower case',
      ),
      locale: optional('Invalid locale', (code) => z.string(code).max(LOCALE_LENGTH, code)).describe(
        "The buyer's language, such as `de` or `pt-BR`. The page is in the closest language that the processor has, unless " +
          '`settings.checkout` of the paywall names one. Without it, or if the processor lacks it or does not take it from ' +
          'the call, the processor chooses',
      ),
      ignoreActivePurchase: z
        .union([blank.transform(() => false), z.boolean()], 'Invalid ignoreActivePurchase')
        .describe(
          'True to renew or upgrade: sells even to a user whose subscription has not ended, or who has already bought ' +
            "the one-time price. Once the new purchase is paid, the user's older subscriptions on this paywall are never " +
            'charged again. Default false',
        ),
      userMeta: userMeta.describe(`${USER_META}. A Bearer token cannot overwrite fields that an owner key wrote`),
      localCurrency: optional('Invalid localCurrency', (code) =>
        z
          .string()
          .regex(/^[A-Za-z]{3}$/, code)
          .toUpperCase(),
      ).describe(
        'With an owner key and without `country`: charge the local price in this currency (ISO 4217), if there is one',
      ),
      country: optional('Invalid country', (code) =>
        z
          .string(code)
          .toUpperCase()
          .refine((country) => isCountry(country) || country === UNKNOWN_COUNTRY, code),
      ).describe(
        "With an owner key: the buyer's country (ISO 3166-1 alpha-2), to charge the price that bootstrap shows " +
          'there. `XX`: unknown, which gives the base price. Ignored with a Bearer token: the country is that of the ' +
          "caller's IP address",
      ),
    },
    'invalid_body',
  )
  .meta({ required: ['priceId'] })

/** An ignored field: parses to `absent`. */
const ignored = <const T>(absent: T) =>
  z
    .unknown()
    .optional()
    .transform(() => absent)

/** The same with a Bearer token. */
export const UserBody = Body.extend({ email: ignored(null), externalId: ignored(undefined), country: ignored(null) })

/** A start-checkout call (contract section 4.2), normalised; null where it left something out. */
export interface CheckoutRequest {
  /** The Idempotency-Key; a random one if the call has none. */
  key: string
  hasKey: boolean
  /** The scope of the key: two users may choose the same one. An owner is one caller, whichever API key it uses. */
  caller: string
  /** A hash of the request: the same key with another hash is refused. */
  hash: string
  email: string | null
  externalId: string | undefined
  priceId: string | null
  successUrl: string | null
  errorUrl: string | null
  shopUrl: string | null
  trialDays: number | null
  quantity: number
  /** The id and the code by which the call names an offer. */
  offer: string | null
  code: string | null
  /** The buyer's language. */
  locale: string | null
  ignoreActivePurchase: boolean
  userMeta: Record<string, unknown>
  /**
   * The buyer's country, which decides the price: as Cloudflare reports it for a Bearer user, or as an owner sends it. Null if an owner
   * sends none, because the owner's own address says nothing about the buyer.
   */
  country: string | null
  /** The currency that an owner requests; null for a Bearer user. */
  localCurrency: string | null
  /** The network of a Bearer user's call, whose pages are counted; null: not counted. */
  network: string | null
  /** The origins of `successUrl` and `errorUrl`; null where these are null, or are on the paywall's site at the service's origin. */
  successOrigin: string | null
  errorOrigin: string | null
  /** The origin for return URLs with foreign targets; null if it is not configured. */
  serviceOrigin: string | null
  /** The origin that the processor redirects to: that of this request, unless the database returns another. */
  returnOrigin: string
}

export const Reply = z.object({
  checkoutUrl: z.url().describe("The URL of the processor's hosted page. Redirect the buyer there"),
  userId: z.uuid().describe("The buyer's user id, the same on all endpoints and in all events"),
  acquiring: z.enum(PROCESSOR_NAMES).describe('The processor that hosts the page'),
})

const activePurchase = z.object({
  hasActivePurchase: z.literal(true),
  purchaseId: z.uuid().describe('The active purchase'),
  status: z
    .enum(PURCHASE_STATUSES)
    .describe('Its status. If it is `past_due`, the buyer can update the card in the portal'),
})

const invalidOffer = z.object({
  reason: z
    .enum(Object.keys(OFFER_PROBLEMS) as [OfferProblem, ...OfferProblem[]])
    .describe('Why, for your own texts. `unknown`: there is no such offer or code'),
})

const example = {
  checkoutUrl: 'https://checkout.example.com/pay/a1b2c3',
  userId: '0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e',
  acquiring: PROCESSOR_NAMES[0],
} satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'startCheckout',
    method: 'post',
    path: PATH,
    tag: 'Checkout',
    summary: 'Open a hosted checkout',
    description:
      'Opens a page of the processor where the buyer pays. A retry with the same `Idempotency-Key` within 24 hours ' +
      'returns the same page. While the first call is running, a retry waits up to 5 seconds for its response. ' +
      'Without the key, which only test paywalls allow, every call opens a new page. A user may open ten pages per ' +
      'ten minutes, and try ten wrong codes per hour; an owner has no limit.',
    access: ['owner', 'user'],
    bodies: { StartCheckout: Body },
    example: {
      email: 'ada@example.com',
      priceId: 'price_3f1c9a2b7d4e5f60718293a4',
      successUrl: 'https://acme.example/thanks?session=__SESSION__',
      errorUrl: 'https://acme.example/sorry',
    } satisfies z.input<typeof Body>,
    idempotent: true,
    reply: { status: 200, description: 'The page was opened', body: { name: 'Checkout', schema: Reply, example } },
    errors,
    details: { active_purchase: activePurchase, invalid_offer: invalidOffer },
    retried: ['in_progress'],
    ifResponseLost:
      'If the call took effect and only its response was lost, a retry without `Idempotency-Key` opens a second ' +
      'page; the buyer never received the first. With a key, a retry opens none.',
    needs: ['processor'],
  },
]
