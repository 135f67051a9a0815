import * as z from 'zod'
import { currency } from '../../lib/access/purchase.ts'
import type { UserRefusal } from '../../lib/auth/gate.ts'
import { userErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'
import { MemberState } from '../../lib/member-state/member-state.ts'
import { Block, Links, Logo, OwnOffer } from '../../lib/paywall/blocks.ts'
import { Offer } from '../../lib/paywall/offer.ts'
import { OFFER_PLACES } from '../../lib/processors/discount.ts'
import { INTERVALS } from '../../lib/processors/processor.ts'
import { findPaywall } from './find-contract.ts'

export const PATH = '/api/v1/paywall/:id/bootstrap'

export type BootstrapRefusal = UserRefusal

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<BootstrapRefusal | 'bad_token'>({
  ...userErrors,
  ...paywallErrors,
})

const amount = z.number().min(0).describe('In major units of the currency: 9.99 is 9 dollars and 99 cents')

export const Price = z
  .object({
    id: z
      .string()
      .describe(
        'The `priceId` for start-checkout. It changes whenever what is sold changes: read it at runtime, do not ' +
          'store it',
      ),
    slug: z.string().describe('The name of the price. Unlike the id, it is stable'),
    label: z.string().describe('The label shown to the buyer'),
    currency,
    amount,
    interval: z.enum(INTERVALS).nullable().describe('Unit of the billing period. Null for a one-time purchase'),
    interval_count: z
      .int()
      .min(1)
      .nullable()
      .describe('Number of intervals per billing period: 3 with `month` means quarterly. Null for a one-time purchase'),
    trial_days: z.int().min(0).describe('Trial days before the first payment'),
    features: z.array(z.string()).describe("Features it includes besides tokens, by the owner's names"),
    access: z.boolean().describe('False for a pack: it does not make its buyer `paid` and can be bought repeatedly'),
    per_unit: z
      .boolean()
      .describe('Whether several units can be bought, such as seats. The amount and the tokens are those of one unit'),
    tokens: z
      .array(
        z.object({
          type: z.string().describe('Token type'),
          count: z.int().min(1).describe('Credited for each paid period, or once for a one-time price'),
          trial_count: z.int().min(0).optional().describe('Credited with the trial. Default: 0'),
        }),
      )
      .describe('The tokens that a buyer gets'),
    local: z
      .object({ currency, amount })
      .optional()
      .describe(
        "The price in the caller's country, if it differs there. A checkout that a user opens from there charges it",
      ),
  })
  .describe('A price of the paywall')

const settings = z
  .looseObject({
    id: z.string().describe('The id of the paywall'),
    name: z.string(),
    brand_color: z.string().optional(),
    logo: Logo.optional(),
    links: Links.optional(),
    success_redirect_url: z
      .string()
      .optional()
      .describe('Redirect target after payment if start-checkout received no `successUrl`'),
    error_redirect_url: z
      .string()
      .optional()
      .describe('Redirect target of a buyer who did not pay if start-checkout received no `errorUrl`'),
    tokenization_queries: z
      .array(z.object({ type: z.string(), daily_limit: z.int().min(0).optional() }))
      .describe(
        'Token types that the paywall counts. With a `daily_limit`, users without a paid period are topped up to ' +
          'that number once per UTC day',
      ),
    max_trial_days: z
      .int()
      .min(0)
      .max(730)
      .optional()
      .describe(
        'Maximum `trial_days` that a user may request from start-checkout with a Bearer token, if longer than the ' +
          "price's own trial",
      ),
    accepts_codes: z
      .literal(true)
      .optional()
      .describe('Present if there is an offer with a code that a buyer can enter now'),
  })
  .describe("The owner's settings. Other fields are passed through unchanged")

const user = z
  .object({
    id: z.uuid(),
    email: z.string().nullable().describe('Null for an anonymous user'),
    has_active_subscription: z
      .boolean()
      .describe('Whether a subscription gives the user access now. False for a user with a one-time purchase only'),
    ...MemberState.shape,
  })
  .describe(
    "The state of the token's user. Absent without a Bearer token, and for a user who is not a member of this " +
      'paywall',
  )

/** An offer that needs a code is not listed. */
const ListedOffer = Offer.extend({
  show: z
    .enum(OFFER_PLACES)
    .exclude(['code'])
    .describe('`paywall`: to everybody. `cancel`: to a subscriber who is about to cancel'),
}).describe('A discount offer')

export const Reply = z.object({
  version: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('Changes whenever anything in this response except `user` changes'),
  settings,
  prices: z.array(Price),
  offers: z
    .array(z.union([ListedOffer, OwnOffer]))
    .describe(
      "The owner's own entries, and the offers that take something off now and in the caller's country, except those of which all uses are " +
        "taken, and those that the token's user has used. An offer that needs a code is not listed",
    ),
  layout: z
    .looseObject({ type: z.string(), blocks: z.array(Block).describe('From top to bottom') })
    .describe('The layout of the paywall. Every locale has all texts that it references'),
  locales: z.record(z.string(), z.looseObject({})).describe('Texts, by locale code'),
  user: user.optional(),
})

const example = {
  version: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  settings: { id: '1001', name: 'Acme Pro', brand_color: '#4f46e5', tokenization_queries: [{ type: 'standard' }] },
  prices: [
    {
      id: 'price_3f1c9a2b7d4e5f60718293a4',
      slug: 'monthly',
      label: 'Monthly',
      currency: 'USD',
      amount: 9.99,
      interval: 'month',
      interval_count: 1,
      trial_days: 7,
      features: ['export'],
      access: true,
      per_unit: false,
      tokens: [{ type: 'standard', count: 500, trial_count: 50 }],
      local: { currency: 'INR', amount: 399 },
    },
  ],
  offers: [],
  layout: { type: 'stack', blocks: [] },
  locales: { en: {} },
} satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'bootstrap',
    method: 'get',
    path: PATH,
    tag: 'Paywall',
    summary: 'Read the structure of a paywall',
    description:
      'Returns everything needed to render the paywall: settings, prices, offers, layout and texts. No credential ' +
      "is required; with a Bearer token the response also includes the user's state. Send a previous `ETag` as " +
      '`If-None-Match` to get 304 if nothing has changed.',
    access: ['anybody', 'user'],
    conditional: true,
    reply: { status: 200, description: 'The paywall', body: { name: 'Bootstrap', schema: Reply, example } },
    errors,
  },
  findPaywall,
]
