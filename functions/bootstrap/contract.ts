import * as z from 'zod'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineWords } from '../../lib/http/errors.ts'
import { MemberState } from '../../lib/purchases/member-state.ts'
import { currency, INTERVALS } from '../../lib/purchases/purchase.ts'
import type { BootstrapRefusal } from './read-bootstrap.sql.ts'

export const PATH = '/api/v1/paywall/:id/bootstrap'

/** How this endpoint says each refusal (contract section 7). */
export const words = defineWords<BootstrapRefusal | 'bad_token'>({
  bad_token: [401, 'invalid_token'],
  unknown_user: [401, 'invalid_token'],
  unknown_paywall: [404, 'paywall_not_found'],
  unknown_identity: [401, 'invalid_token'],
  not_member: [401, 'invalid_token'],
})

const amount = z.number().min(0).describe('In decimal major units')

export const Price = z
  .object({
    id: z
      .string()
      .describe('What start-checkout takes as `priceId`. Another one when what is sold changes: read it at runtime'),
    slug: z.string().describe('The stable name of the price'),
    label: z.string().describe('What the buyer reads'),
    currency,
    amount,
    interval: z.enum(INTERVALS).nullable().describe('How often it is paid. Null: bought once'),
    interval_count: z.int().min(1).nullable().describe('Intervals a period: 3 with `month` is quarterly'),
    trial_days: z.int().min(0).describe('Days before the first payment'),
    local: z
      .object({ currency, amount })
      .optional()
      .describe("What it costs where the caller is, if that differs: a user's checkout from there asks for this"),
  })
  .describe('Something that the paywall sells')

const settings = z
  .looseObject({
    id: z.string().describe('The id of the paywall'),
    name: z.string(),
    brand_color: z.string().optional(),
    success_redirect_url: z.string().optional().describe('Where a buyer lands when start-checkout names no successUrl'),
    error_redirect_url: z.string().optional(),
    tokenization_queries: z
      .array(z.object({ type: z.string(), daily_limit: z.int().min(0).optional() }))
      .describe('The types of tokens that the paywall counts'),
  })
  .describe('As the owner wrote them; other members are its own')

const user = z
  .object({
    id: z.uuid(),
    email: z.string().nullable().describe('Null for an anonymous user'),
    has_active_subscription: z
      .boolean()
      .describe('Whether one of the purchases that let the user in is a subscription'),
    ...MemberState.shape,
  })
  .describe("The user of the Bearer token. Not there without one, and then the answer is everybody's")

export const Reply = z.object({
  version: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('Changes whenever any of the rest but `user` does'),
  settings,
  prices: z.array(Price),
  offers: z.array(z.unknown()).describe('As the owner wrote them'),
  layout: z.looseObject({ type: z.string(), blocks: z.array(z.unknown()) }).describe('How the paywall looks'),
  locales: z.record(z.string(), z.looseObject({})).describe('Texts by locale code'),
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
      'All that is needed to show the paywall: settings, prices, offers, layout and texts. Public; with a Bearer token ' +
      "also the user's state. Send the ETag back as `If-None-Match` to learn that nothing has changed.",
    access: ['anybody', 'user'],
    conditional: true,
    reply: { status: 200, description: 'The paywall', body: { name: 'Bootstrap', schema: Reply, example } },
    words,
  },
]
