import type { Operation, Replies } from './operation.ts'

const NOBODY_ID = '00000000-0000-4000-8000-000000000000'
const MISSING_SECRET = 'A'.repeat(43)
const BALANCE_UNKNOWN = 'It is unknown whether the balance changed: read it before you retry'

const INVALID_TOKEN = '401 invalid_token'
const PAYWALL_NOT_FOUND = '404 paywall_not_found'
const BAD_KEYS = {
  badKey: '401 Invalid API key',
  foreignKey: '403 Access denied: API key owner does not match paywall owner',
}
const BAD_TOKENS = { badToken: INVALID_TOKEN, foreignToken: INVALID_TOKEN }

/** The replies of an operation that reads no credential. */
function anybody(reply: string): Replies {
  const [users, keys] = [
    { user: reply, anonymous: reply },
    { badKey: reply, foreignKey: reply, ownerKey: reply },
  ]
  return { nobody: reply, ...users, ...keys, badToken: reply, foreignToken: reply }
}

/** The replies of an operation that reads owner keys only: whoever sends none is `refused`. */
const owners = (refused: string): Replies => ({ ...anybody(refused), ...BAD_KEYS, ownerKey: '200' })

/** The replies of an operation for owners and for users themselves. */
const OWNERS_AND_USERS: Replies = {
  nobody: '401 Unauthorized',
  ...BAD_KEYS,
  ...BAD_TOKENS,
  ownerKey: '200',
  user: '200',
  anonymous: '200',
}

const MISMATCH = '400 paywall_id_mismatch'
const MISMATCH_FOR_ANYBODY = { nobody: MISMATCH, badKey: MISMATCH, ownerKey: MISMATCH, user: MISMATCH }

/** The second and third way to call an operation have entries of their own: its id, and what is special about the call. */
export const OPERATIONS: Record<string, Operation> = {
  bootstrap: {
    replies: { ...anybody('200'), ...BAD_TOKENS },
    ifOtherPaywallId: MISMATCH_FOR_ANYBODY,
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'token',
  },
  findPaywall: {
    replies: anybody(PAYWALL_NOT_FOUND), // the service's own host belongs to no paywall
    otherDomain: '200', // it finds the paywall of the domain
    statements: 1,
    countedBy: 'address',
  },
  readUser: {
    names: { email: 'email', id: 'user_id', externalId: 'external_id' },
    replies: OWNERS_AND_USERS,
    ifOtherPaywallId: { ownerKey: MISMATCH, user: MISMATCH },
    unknownUser: '404 identity_not_found',
    notMember: '404 identity_not_on_paywall',
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'key',
  },
  startCheckout: {
    names: { email: 'email', externalId: 'externalId' },
    body: ({ priceId }) => ({
      priceId,
      successUrl: 'https://owner.example/thanks?session=__SESSION__',
      errorUrl: 'https://owner.example/sorry?session=__SESSION__',
      ignoreActivePurchase: true,
    }),
    replies: OWNERS_AND_USERS,
    ifOtherPaywallId: { ownerKey: MISMATCH, user: MISMATCH },
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 2,
    countedBy: 'key',
  },
  cancelSubscription: {
    names: { email: 'email', id: 'userId', externalId: 'externalId' },
    body: ({ paywallId, purchaseId = NOBODY_ID }) => ({
      paywallId,
      subscriptionId: purchaseId,
      cancellationReason: 'too expensive',
    }),
    replies: {
      nobody: '403 Unauthorized',
      ...BAD_KEYS,
      ownerKey: '404 Subscription not found',
      user: '404 Subscription not found',
      anonymous: '403 Unauthorized',
      badToken: INVALID_TOKEN,
      foreignToken: '404 Subscription not found', // it looks on all paywalls of the token's own owner
    },
    // For a user the header alone names the paywall, which is then another owner's.
    ifOtherPaywallId: { ownerKey: MISMATCH, user: INVALID_TOKEN },
    unknownUser: '404 identity_not_on_paywall',
    mismatchedUser: '404 identity_not_found',
    notMember: '404 identity_not_on_paywall',
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'key',
  },
  changePlan: {
    names: { email: 'email', id: 'userId', externalId: 'externalId' },
    body: ({ priceId = 'price_unknown', purchaseId = NOBODY_ID }) => ({
      priceId,
      subscriptionId: purchaseId,
      preview: true,
    }),
    replies: {
      ...OWNERS_AND_USERS,
      ownerKey: '404 Subscription not found',
      user: '404 Subscription not found',
      anonymous: '403 Unauthorized',
    },
    ifOtherPaywallId: { ownerKey: MISMATCH, user: MISMATCH },
    unknownUser: '404 identity_not_found',
    notMember: '404 identity_not_on_paywall',
    success: 409, // the subscription has the price already
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'key',
  },
  refundPurchase: {
    parameters: ({ purchaseId = NOBODY_ID }) => ({ purchase: purchaseId }),
    body: () => ({ amount: 1 }),
    replies: { ...owners('401 Unauthorized'), ownerKey: '404 purchase_not_found' },
    ifOtherPaywallId: { ownerKey: MISMATCH },
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'key',
  },
  getCustomerPortal: {
    names: { email: 'email', externalId: 'externalId' },
    replies: { ...OWNERS_AND_USERS, anonymous: '403 portal_unavailable' },
    ifOtherPaywallId: { ownerKey: MISMATCH, user: MISMATCH },
    unknownUser: '404 identity_not_on_paywall',
    notMember: '404 identity_not_on_paywall',
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'key',
  },
  changeBalance: {
    names: { email: 'email', id: 'user_id', externalId: 'external_id' },
    body: () => ({ op: 'credit', amount: 1, type: 'standard' }),
    replies: { ...owners('401 unauthorized'), badKey: '401 unauthorized', foreignKey: '403 forbidden' },
    ifOtherPaywallId: { ownerKey: MISMATCH },
    unknownUser: '404 identity_not_found',
    notMember: '404 identity_not_found',
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    repeatsErrorAsCode: true,
    unknownOutcome: BALANCE_UNKNOWN,
    countedBy: 'key',
  },
  withdrawTokens: {
    names: { id: 'user_id', externalId: 'external_id' },
    body: ({ paywallId }) => ({ paywall_id: paywallId, tokens: 1 }),
    replies: {
      ...owners('401 Invalid API key'),
      foreignKey: '403 Unauthorized. You are not the owner of this paywall',
    },
    ifOtherPaywallId: { ownerKey: MISMATCH },
    unknownUser: '404 No balance found for this user and paywall',
    notMember: '404 No balance found for this user and paywall',
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    unknownOutcome: BALANCE_UNKNOWN,
    countedBy: 'key',
  },
  createGrant: {
    names: { email: 'email', id: 'user_id', externalId: 'external_id' },
    body: () => ({ days: 30, reason: 'Apology for the outage' }),
    replies: owners('401 Unauthorized'),
    ifOtherPaywallId: { ownerKey: MISMATCH },
    unknownUser: '404 identity_not_found',
    notMember: '404 identity_not_on_paywall',
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    unknownOutcome: "It is unknown whether access was granted: read the user's `grants` before you retry",
    countedBy: 'key',
  },
  endGrant: {
    parameters: () => ({ grant: NOBODY_ID }),
    replies: { ...owners('401 Unauthorized'), ownerKey: '404 grant_not_found' },
    ifOtherPaywallId: { ownerKey: MISMATCH },
    otherDomain: PAYWALL_NOT_FOUND,
    success: 404,
    statements: 1,
    countedBy: 'key',
  },
  openTicket: {
    names: { email: 'customer_email' },
    body: () => ({ subject: 'It does not load', content: 'I paid and see nothing.' }),
    replies: { ...anybody('200'), ...BAD_TOKENS },
    ifOtherPaywallId: MISMATCH_FOR_ANYBODY,
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    unknownOutcome: 'It is unknown whether the ticket was opened: a retry may open a second one',
    countedBy: 'token',
  },
  sendSignInCode: {
    names: { email: 'email' },
    replies: anybody('200'),
    ifOtherPaywallId: MISMATCH_FOR_ANYBODY,
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'address',
  },
  issueTokens: {
    body: () => ({ grant_type: 'anonymous' }),
    replies: anybody('200'),
    ifOtherPaywallId: MISMATCH_FOR_ANYBODY,
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'address',
  },
  'issueTokens by refresh token': {
    body: ({ refreshToken = `${NOBODY_ID}.${MISSING_SECRET}` }) => ({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }),
    replies: anybody('400 invalid_grant'),
    ifOtherPaywallId: MISMATCH_FOR_ANYBODY,
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'address',
  },
  listEvents: {
    replies: { ...anybody('401 Unauthorized'), badKey: BAD_KEYS.badKey, foreignKey: '200', ownerKey: '200' },
    allPaywalls: true,
    otherDomain: '404 not_found',
    statements: 1,
    countedBy: 'key',
  },
  'issueTokens by code': {
    body: ({ grant = { email: 'nobody@buyers.dev', code: '12345678', challenge: MISSING_SECRET } }) => ({
      grant_type: 'code',
      email: grant.email,
      code: grant.code,
      challenge: grant.challenge,
    }),
    replies: { ...anybody('400 invalid_grant'), ...BAD_TOKENS },
    ifOtherPaywallId: MISMATCH_FOR_ANYBODY,
    unknownTokenUser: '400 invalid_grant', // the code is compared before the token's user is looked up, to be merged
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    unknownOutcome: 'The code may have been used. If it is refused now, request a new one',
    countedBy: 'address',
  },
  endSession: {
    body: ({ refreshToken = `${NOBODY_ID}.${MISSING_SECRET}` }) => ({ refresh_token: refreshToken }),
    replies: anybody('200'),
    ifOtherPaywallId: MISMATCH_FOR_ANYBODY,
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'address',
  },
  exchangeTokens: {
    names: { email: 'email', externalId: 'external_id' },
    replies: owners('401 Unauthorized'),
    ifOtherPaywallId: { ownerKey: MISMATCH },
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'key',
  },
  checkoutReturn: {
    parameters: ({ checkoutId = NOBODY_ID }) => ({ checkoutId, outcome: 'success' }),
    replies: anybody('404 checkout_not_found'),
    success: 303,
    otherDomain: '404 checkout_not_found',
    statements: 1,
    countedBy: 'address',
  },
  signedReturn: {
    parameters: () => ({ acquiring: 'stripe' }),
    replies: anybody('404 not_found'), // Stripe signs no return URLs, which is checked once the paywall is found
    success: 404,
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'address',
  },
  processorWebhook: {
    parameters: () => ({ acquiring: 'stripe' }),
    body: () => ({ id: 'evt_1', type: 'plan.created', created: 1, data: { object: {} } }), // an event that is ignored
    replies: anybody('400 invalid_signature'),
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'signature',
  },
  // The last one: what needs a running subscription comes before.
  endPurchase: {
    parameters: ({ purchaseId = NOBODY_ID }) => ({ purchase: purchaseId }),
    body: () => ({ reason: 'paid by invoice now' }),
    replies: { ...owners('401 Unauthorized'), ownerKey: '404 purchase_not_found' },
    ifOtherPaywallId: { ownerKey: MISMATCH },
    otherDomain: PAYWALL_NOT_FOUND,
    statements: 1,
    countedBy: 'key',
  },
}
