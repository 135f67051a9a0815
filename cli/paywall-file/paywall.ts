import * as z from 'zod'
import { DEFAULT_TIERS } from '../../lib/geo/default-tiers.ts'
import { LOCALE_LENGTH } from '../../lib/http/input-limits.ts'
import { Block, Links, Logo } from '../../lib/paywall/blocks.ts'
import { CheckoutOptions } from '../../lib/processors/checkout-options.ts'
import { MAX_TOKENS } from '../../lib/tokens/add-tokens.ts'
import { checkCheckoutOptions } from './checkout-options.ts'
import { checked, disjoint, issueAt, unique } from './checks.ts'
import { checkLayout, checkTranslations } from './layout.ts'
import { checkOffers, offer } from './offers.ts'
import { country, price, tokenType } from './price.ts'
import { accountMode, literalSecrets, processorSchema, revealProcessor } from './processor.ts'
import { type Environment, isLiteral, revealSecret, secretSchema } from './secret.ts'
import { checkSellable } from './sellable.ts'

/** Lower-case labels separated by dots, the last one not a number: at most 253 characters. */
const HOST_NAME = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(4096)

const tokenizationQueries = z.array(
  z.strictObject({
    type: tokenType,
    daily_limit: z
      .int()
      .min(0)
      .max(MAX_TOKENS)
      .optional()
      .describe('Users without a paid period, including those on trial, get this many each day'),
  }),
)

/** Whether a text is a serialized origin: no path, no user name, no default port. */
const isOrigin = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text

const origins = z.array(z.string().max(300).refine(isOrigin, 'must be an origin, such as https://shop.example')).max(50)

const settings = z
  .looseObject({
    brand_color: z.string().min(1).max(100).optional(),
    logo: Logo.optional(),
    links: Links.optional(),
    checkout: CheckoutOptions.optional().describe('The options of the hosted pages, where the processor has them'),
    success_redirect_url: webAddress
      .optional()
      .describe('Where buyers return after paying if start-checkout has no successUrl'),
    error_redirect_url: webAddress
      .optional()
      .describe('Where buyers return without paying if start-checkout has no errorUrl'),
    redirect_origins: origins
      .optional()
      .describe(
        'Origins, such as https://shop.example, to which users may return from a checkout that they open themselves, besides the ' +
          "paywall's domain and the pages above. Others are refused. If omitted, any origin is allowed, but the buyer is asked first",
      ),
    embed_origins: origins
      .optional()
      .describe(
        "Origins, such as https://shop.example, whose pages may show the paywall's site in a dialog. Buyers return to them, too. " +
          'If omitted, no page may',
      ),
    limits: z
      .strictObject({
        guest_image_bytes_a_day: z
          .int()
          .min(0)
          .max(1_000_000_000_000)
          .optional()
          .describe(
            'How many bytes of images all guests together may send with support tickets in 24 hours. Default: 200 MB',
          ),
      })
      .optional()
      .describe('Limits for anonymous callers'),
    tokenization_queries: checked(tokenizationQueries, 1, unique('type'))
      .default([])
      .describe('The types of tokens that this paywall counts'),
    keep_tokens_on_refund: z
      .boolean()
      .optional()
      .describe('true: users keep their tokens after a refund. Default: the tokens are taken back'),
    grace_days: z
      .int()
      .min(0)
      .max(60)
      .optional()
      .describe('How many days a past-due subscription still gives access. Default: 7'),
    max_trial_days: z
      .int()
      .min(0)
      .max(730)
      .optional()
      .describe("The longest trial that a user's own call may request if it exceeds the price's. Default: the price's"),
  })
  .describe('Served publicly and unchanged. You may add fields of your own')

const tierTable = z
  .record(z.string().regex(/^[1-9][0-9]{0,2}$/, 'a tier must be a number from 1'), z.array(country))
  .refine((tiers) => Object.keys(tiers).length > 0, 'add a tier, or omit tiers to use the default table')

const geo = z
  .strictObject({
    countries: z.array(country).default([]).describe('Countries in which countryMatch is true. Empty: all'),
    tiers: checked(tierTable, 2, checkTiers)
      .optional()
      .describe('Countries by tier. All other countries are in the last one. Default: the built-in table'),
  })
  .default({ countries: [] })

const layout = z
  .looseObject({ type: z.string().min(1), blocks: z.array(Block) })
  .default({ type: 'stack', blocks: [] })
  .describe("The layout of the paywall's site. Served unchanged, so that your own pages can follow it")

/** 1 to 100 printable characters without spaces. */
const TURNSTILE_KEY = /^[!-~]{1,100}$/

function shape(environment: Environment) {
  return z.strictObject({
    id: z
      .string()
      .regex(/^[0-9]{1,19}$/, 'must be a decimal number of 19 digits at most')
      .describe('The {id} in the API, which you choose: a decimal number in quotes'),
    name: z.string().min(1).max(200).describe('The name shown to buyers'),
    test: z.boolean().describe('true: a test paywall, with test keys and test payments'),
    domain: z
      .string()
      .regex(HOST_NAME, 'must be a lower-case host name')
      .nullish()
      .describe('The host name of its own domain'),
    settings: settings.default({ tokenization_queries: [] }),
    geo,
    processor: processorSchema(environment).describe('The payment processor and its credentials'),
    turnstile: z
      .strictObject({
        siteKey: z.string().regex(TURNSTILE_KEY, 'must be a key as Cloudflare shows it').describe('Shown to browsers'),
        secretKey: secretSchema(environment, (secret) =>
          TURNSTILE_KEY.test(secret) ? null : 'must be a key as Cloudflare shows it',
        ),
      })
      .nullish()
      .describe(
        'The keys of a Cloudflare Turnstile widget. With them users can solve a captcha to get a sign-in code when a rate limit is used up',
      ),
    prices: checked(z.array(price), 1, unique('slug')).describe('The prices on sale'),
    offers: z.array(offer).max(200).default([]).describe('Offers that take something off, and entries of your own'),
    layout,
    locales: z.record(z.string().min(1).max(LOCALE_LENGTH), z.looseObject({})).default({}).describe('Texts by locale'),
  })
}

export type WrittenPaywall = z.output<ReturnType<typeof shape>>

/** A paywall. Secrets may still be references, `env:NAME`. */
export function paywallSchema(environment: Environment) {
  const checkAccount = (paywall: WrittenPaywall, context: z.RefinementCtx) =>
    checkProcessor(paywall, environment, context)
  const checkCaptcha = (paywall: WrittenPaywall, context: z.RefinementCtx) =>
    checkTurnstile(paywall, environment, context)
  const schema = checked(checked(shape(environment), 2, checkLayout), 3, checkNames, checkAccount, checkCaptcha)
  return checked(
    schema,
    5,
    checkTokens,
    checkTiersOfLocals,
    checkTranslations,
    checkSellable,
    checkOffers,
    checkCheckoutOptions,
  )
}

function checkTiers(tiers: Record<string, string[]>, context: z.RefinementCtx): void {
  const lists = Object.entries(tiers).map(([tier, values]) => ({ path: [tier], values }))
  disjoint(lists, context)
}

/** Bootstrap serves the paywall's id and name in its settings, so a different value there would be overwritten. */
function checkNames({ id, name, settings }: WrittenPaywall, context: z.RefinementCtx): void {
  if ('id' in settings && settings.id !== id) issueAt(context, ['settings', 'id'], "is not the paywall's id")
  if ('name' in settings && settings.name !== name) issueAt(context, ['settings', 'name'], "is not the paywall's name")
}

function checkTokens({ settings, prices }: WrittenPaywall, context: z.RefinementCtx): void {
  const types = settings.tokenization_queries.map(({ type }) => type)
  for (const [index, { tokens }] of prices.entries()) {
    for (const [position, { type }] of tokens.entries()) {
      if (types.includes(type)) continue
      issueAt(context, ['prices', index, 'tokens', position, 'type'], 'is not a type in settings.tokenization_queries')
    }
  }
}

function checkTiersOfLocals({ geo, prices }: WrittenPaywall, context: z.RefinementCtx): void {
  const tiers = Object.keys(geo.tiers ?? DEFAULT_TIERS)
  for (const [index, { locals }] of prices.entries()) {
    for (const [position, { tier }] of locals.entries()) {
      if (tier === undefined || tiers.includes(String(tier))) continue
      issueAt(context, ['prices', index, 'locals', position, 'tier'], `there is no tier ${tier}`)
    }
  }
}

function checkProcessor({ test, processor }: WrittenPaywall, environment: Environment, context: z.RefinementCtx): void {
  for (const field of test ? [] : literalSecrets(processor)) {
    issueAt(context, ['processor', 'credentials', field], 'a live paywall must take its secrets from env:NAME')
  }
  const account = revealProcessor(processor, environment)
  const mode = account && accountMode(account)
  if (mode === null || (mode === 'test') === test) return
  issueAt(
    context,
    ['processor', 'credentials'],
    `are for ${mode} mode, but this is a ${test ? 'test' : 'live'} paywall`,
  )
}

/** With Cloudflare's keys for tests every captcha is solved, or none is. */
const TURNSTILE_TEST_KEY = /^[123]x0{10}/

function checkTurnstile({ test, turnstile }: WrittenPaywall, environment: Environment, context: z.RefinementCtx): void {
  if (test || !turnstile) return
  const { secretKey } = turnstile
  if (isLiteral(secretKey)) {
    issueAt(context, ['turnstile', 'secretKey'], 'a live paywall must take its secrets from env:NAME')
  }
  if (TURNSTILE_TEST_KEY.test(revealSecret(secretKey, environment) ?? '')) {
    issueAt(context, ['turnstile', 'secretKey'], "one of Cloudflare's keys for tests on a live paywall")
  }
}
