import * as z from 'zod'
import { currency } from '../../lib/access/purchase.ts'
import type { UserRefusal } from '../../lib/auth/gate.ts'
import { userErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { MemberState } from '../../lib/member-state/member-state.ts'
import { Block, Logo, Offer } from '../../lib/paywall/blocks.ts'
import { INTERVALS } from '../../lib/processors/processor.ts'
import { findPaywall } from './find-contract.ts'

export const PATH = '/api/v1/paywall/:id/bootstrap'

export type BootstrapRefusal = UserRefusal

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<BootstrapRefusal | 'bad_token'>({
  ...userErrors,
  unknown_paywall: [404, 'paywall_not_found'],
})

const amount = z.number().min(0).describe('In major units of the currency: 9.99 is 9 dollars and 99 cents')

export const Price = z
  .object({
    id: z
      .string()
      .describe(
        'The `priceId` for start-checkout. It changes when what is sold changes: read it at runtime, do not store it',
      ),
    slug: z.string().describe('The name of the price. It stays the same when the id changes'),
    label: z.string().describe('The text that the buyer reads'),
    currency,
    amount,
    interval: z.enum(INTERVALS).nullable().describe('The unit of the billing period. Null: a one-time purchase'),
    interval_count: z
      .int()
      .min(1)
      .nullable()
      .describe('How many intervals a billing period has: 3 with `month` is quarterly'),
    trial_days: z.int().min(0).describe('Days of trial before the first payment'),
    features: z.array(z.string()).describe('What it gives besides tokens, by names of the owner'),
    access: z.boolean().describe('False: a pack, which makes its buyer not `paid` and can be bought again and again'),
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
    success_redirect_url: z
      .string()
      .optional()
      .describe('Where a buyer is sent after paying if start-checkout was given no `successUrl`'),
    error_redirect_url: z
      .string()
      .optional()
      .describe('Where a buyer who did not pay is sent if start-checkout was given no `errorUrl`'),
    tokenization_queries: z
      .array(z.object({ type: z.string(), daily_limit: z.int().min(0).optional() }))
      .describe(
        'The types of tokens of which users have balances. With a `daily_limit`, users without a paid period are topped ' +
          'up to that many, once a UTC day',
      ),
    max_trial_days: z
      .int()
      .min(0)
      .max(730)
      .optional()
      .describe(
        "The longest trial that a user may ask start-checkout for with its Bearer token, where the price's own is shorter",
      ),
  })
  .describe('As the owner configured them. Other fields are passed on unchanged')

const user = z
  .object({
    id: z.uuid(),
    email: z.string().nullable().describe('Null for an anonymous user'),
    has_active_subscription: z
      .boolean()
      .describe('Whether the user has access now by a subscription; false for one who has bought once'),
    ...MemberState.shape,
  })
  .describe(
    "The state of the token's user. Absent without a Bearer token, and for a user who never came to this paywall",
  )

export const Reply = z.object({
  version: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('Changes whenever anything in this answer but `user` changes'),
  settings,
  prices: z.array(Price),
  offers: z.array(Offer).describe('As the owner configured them'),
  layout: z
    .looseObject({ type: z.string(), blocks: z.array(Block).describe('From the top of the page to its end') })
    .describe('How the paywall looks. Each locale has all texts that it names'),
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
      'All that is needed to show the paywall: settings, prices, offers, layout and texts. It takes no credential; with a ' +
      "Bearer token the answer also has the user's state. Send the `ETag` of an earlier answer as `If-None-Match`: 304 " +
      'says that nothing has changed.',
    access: ['anybody', 'user'],
    conditional: true,
    reply: { status: 200, description: 'The paywall', body: { name: 'Bootstrap', schema: Reply, example } },
    errors,
  },
  findPaywall,
]
