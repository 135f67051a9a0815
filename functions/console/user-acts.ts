// What a member of the team does to a user. What the API can do is done by its endpoint, whose Worker has what it takes to call processors.
import { changeTokens, checkUserAct, mergeFoundUsers, signOutUser } from '../../generated/calls.ts'
import { canonicalHash } from '../../lib/crypto/canonical.ts'
import { connect } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { ApiError, apiError, defineErrors } from '../../lib/http/errors.ts'
import { toMinorUnits } from '../../lib/money/money.ts'
import { MAX_TOKENS, MAX_TOKENS_TEXT } from '../../lib/tokens/add-tokens.ts'
import { type ActRefusal, act } from './act.ts'
import { type ApiCall, callApi } from './call-api.ts'
import { readKey, readReason } from './form.ts'
import { type ConsoleContext, isTestMode, pageMode } from './session.ts'
import { userErrors } from './users.ts'

type Form = Record<string, string>
type UserAct = (c: ConsoleContext, session: string, form: Form) => Promise<ActRefusal | string>

type Unknown = { verdict: 'unknown_user_id' }
type SignOutResult = ActRefusal | Unknown | { verdict: 'done' }
type CheckResult = ActRefusal | Unknown | { verdict: 'permitted' }
type MergeResult =
  | ActRefusal
  | Unknown
  | { verdict: 'unknown_other' | 'same_user' }
  | { verdict: 'merged'; user_id: string; queued: number }
type TokensResult =
  | ActRefusal
  | Unknown
  | { verdict: 'unknown_type' | 'key_reused' }
  | { verdict: 'insufficient' | 'too_much'; available: number }
  | { verdict: 'changed' | 'replayed'; queued: number }

const errors = defineErrors({
  unknown_act: [400, 'invalid_act', 'There is no such act'],
  unknown_other: [404, 'user_not_found', 'There is no user with that id or e-mail address to merge into'],
  same_user: [400, 'same_user', 'This is the user itself'],
  unknown_type: [400, 'invalid_type', 'The paywall has no such type of tokens'],
  key_reused: [
    409,
    'idempotency_key_reused',
    'The form was sent before, with something else in it. Load the page again',
  ],
  insufficient: [400, 'insufficient', 'The user has fewer tokens than that. Nothing was taken'],
  too_much: [400, 'balance_limit', 'The balance would become 2^53 or more'],
  invalid_tokens: [400, 'invalid_amount', `An amount of tokens is a whole number from 1 to ${MAX_TOKENS_TEXT}`],
  invalid_amount: [400, 'invalid_amount', 'An amount is a number with at most as many decimals as its currency has'],
})

const userId = (c: ConsoleContext) => c.req.param('user') ?? ''

const signOut: UserAct = async (c, session, form) => {
  const row = await signOutUser<SignOutResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    userId: userId(c),
    reason: readReason(form),
  })
  if (row.verdict === 'unknown_user_id') throw apiError(userErrors.unknown_user_id)
  return row.verdict === 'done' ? c.req.path : row
}

const merge: UserAct = async (c, session, form) => {
  const row = await mergeFoundUsers<MergeResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    userId: userId(c),
    intoName: form.into?.trim() ?? '',
    reason: readReason(form),
  })
  switch (row.verdict) {
    case 'unknown_user_id':
      throw apiError(userErrors.unknown_user_id)
    case 'unknown_other':
    case 'same_user':
      throw apiError(errors[row.verdict])
    case 'merged':
      c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
      return `/${pageMode(c)}/users/${row.user_id}`
    default:
      return row
  }
}

const changeBalance: UserAct = async (c, session, form) => {
  const { paywall: paywallId = '', type = '', op } = form
  const amount = Number(form.amount)
  if (!Number.isInteger(amount) || amount < 1 || amount > MAX_TOKENS) throw apiError(errors.invalid_tokens)
  const change = { userId: userId(c), paywallId, type, delta: op === 'take' ? -amount : amount }
  const row = await changeTokens<TokensResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    ...change,
    key: readKey(form),
    requestHash: await canonicalHash(change),
    reason: readReason(form),
  })
  switch (row.verdict) {
    case 'unknown_user_id':
      throw apiError(userErrors.unknown_user_id)
    case 'unknown_type':
    case 'key_reused':
    case 'too_much':
      throw apiError(errors[row.verdict])
    case 'insufficient':
      throw apiError(errors.insufficient, { available: row.available })
    case 'changed':
    case 'replayed':
      c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
      return c.req.path
    default:
      return row
  }
}

/** An act that an endpoint of the API does. The database permits it here, for the page's sake, and again in the endpoint's call. */
const throughApi =
  (name: string, toCall: (form: Form, about: { user: string; reason: string }) => ApiCall): UserAct =>
  async (c, session, form) => {
    const call = toCall(form, { user: userId(c), reason: readReason(form) })
    const row = await checkUserAct<CheckResult>(connect(c.env), {
      sessionHash: session,
      isTest: isTestMode(c),
      userId: userId(c),
      act: name,
    })
    if (row.verdict === 'unknown_user_id') throw apiError(userErrors.unknown_user_id)
    if (row.verdict !== 'permitted') return row
    await callApi(c, call)
    return c.req.path
  }

const inPaywall = ({ paywall = '' }: Form, ...parts: string[]) =>
  `/api/v1/paywall/${[paywall, ...parts].map(encodeURIComponent).join('/')}`

/** What a form asks to return; undefined: all that is left. @throws ApiError 400 */
function readAmount({ amount = '', currency = '' }: Form): number | undefined {
  if (amount === '') return undefined
  try {
    return toMinorUnits(Number(amount), currency)
  } catch (cause) {
    if (cause instanceof RangeError) throw new ApiError(errors.invalid_amount, { cause })
    throw cause
  }
}

/** The acts, by the name that the form has for each, and the database for what each requires. */
const ACTS: Record<string, UserAct> = {
  sign_out_user: signOut,
  merge_users: merge,
  change_tokens: changeBalance,
  give_access: throughApi('give_access', (form, { user, reason }) => ({
    binding: 'GRANTS',
    path: inPaywall(form, 'grants'),
    body: { user_id: user, price: form.price, days: Number(form.days), reason },
    key: form.key,
  })),
  end_access: throughApi('end_access', (form, { reason }) => ({
    binding: 'GRANTS',
    path: inPaywall(form, 'grants', form.grant ?? '', 'end'),
    body: { reason },
  })),
  refund: throughApi('refund', (form, { reason }) => ({
    binding: 'REFUND_PURCHASE',
    path: inPaywall(form, 'purchases', form.purchase ?? '', 'refund'),
    body: { payment: form.payment, amount: readAmount(form), reason },
    key: form.key,
  })),
  end_purchase: throughApi('end_purchase', (form, { reason }) => ({
    binding: 'END_PURCHASE',
    path: inPaywall(form, 'purchases', form.purchase ?? '', 'end'),
    body: { reason },
  })),
  cancel_subscription: throughApi('cancel_subscription', (form, { user, reason }) => ({
    binding: 'CANCEL_SUBSCRIPTION',
    path: '/api/paywall/cancel-subscription',
    body: { paywallId: form.paywall, userId: user, subscriptionId: form.purchase, cancellationReason: reason },
  })),
}

/** Does what a form of the user's page asks for. */
export const actOnUser = act(async (c, session, form) => {
  const run = Object.hasOwn(ACTS, form.act ?? '') ? ACTS[form.act ?? ''] : undefined
  if (!run) throw apiError(errors.unknown_act)
  return run(c, session, form)
})
