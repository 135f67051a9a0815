// What each endpoint answers to each kind of credential: the status, and the error if it is refused.

/** These endpoints are public, so it does not matter whom a credential identifies. */
const OPEN = {
  bootstrap: '200',
  findPaywall: '404 paywall_not_found', // the service's own host belongs to no paywall
  openTicket: '200',
  sendSignInCode: '200',
  giveTokens: '200',
  endSession: '200',
  checkoutReturn: '404 checkout_not_found',
  signedReturn: '404 not_found', // the processor of this paywall signs no return URLs
  processorWebhook: '400 invalid_signature',
}

export const NOBODY = {
  ...OPEN,
  startCheckout: '401 Unauthorized',
  readUser: '401 Unauthorized',
  cancelSubscription: '403 Unauthorized',
  getCustomerPortal: '401 Unauthorized',
  changeBalance: '401 unauthorized',
  withdrawTokens: '401 Invalid API key',
  exchangeTokens: '401 Unauthorized',
}

export const BAD_KEY = {
  ...OPEN,
  startCheckout: '401 Invalid API key',
  readUser: '401 Invalid API key',
  cancelSubscription: '401 Invalid API key',
  getCustomerPortal: '401 Invalid API key',
  changeBalance: '401 unauthorized',
  withdrawTokens: '401 Invalid API key',
  exchangeTokens: '401 Invalid API key',
}

const ACCESS_DENIED = '403 Access denied: API key owner does not match paywall owner'

export const FOREIGN_KEY = {
  ...OPEN,
  startCheckout: ACCESS_DENIED,
  readUser: ACCESS_DENIED,
  cancelSubscription: ACCESS_DENIED,
  getCustomerPortal: ACCESS_DENIED,
  changeBalance: '403 forbidden',
  withdrawTokens: '403 Unauthorized. You are not the owner of this paywall',
  exchangeTokens: ACCESS_DENIED,
}

/** An access token sent as an owner key. Endpoints that ignore keys ignore it. An invalid token is never treated as a guest. */
export const BAD_TOKEN = {
  ...NOBODY,
  bootstrap: '401 invalid_token',
  startCheckout: '401 invalid_token',
  readUser: '401 invalid_token',
  cancelSubscription: '401 invalid_token',
  getCustomerPortal: '401 invalid_token',
  openTicket: '401 invalid_token',
}

export const OWNER = {
  ...OPEN,
  startCheckout: '200',
  readUser: '200',
  cancelSubscription: '404 Subscription not found',
  getCustomerPortal: '200',
  changeBalance: '200',
  withdrawTokens: '200',
  exchangeTokens: '200',
}

export const USER = {
  ...NOBODY,
  startCheckout: '200',
  readUser: '200',
  cancelSubscription: '404 Subscription not found',
  getCustomerPortal: '200',
}

export const ANONYMOUS = {
  ...USER,
  cancelSubscription: '403 Unauthorized',
  getCustomerPortal: '403 portal_unavailable',
}

/** A call that would be allowed, but whose header names another paywall. Calls without a client cannot have that header. */
const MISMATCH = '400 paywall_id_mismatch'
export const OPEN_MISMATCH = {
  bootstrap: MISMATCH,
  openTicket: MISMATCH,
  sendSignInCode: MISMATCH,
  giveTokens: MISMATCH,
  endSession: MISMATCH,
}
export const USER_MISMATCH = {
  ...NOBODY,
  ...OPEN_MISMATCH,
  startCheckout: MISMATCH,
  readUser: MISMATCH,
  cancelSubscription: '401 invalid_token', // only the header names a paywall, and it is another owner's
  getCustomerPortal: MISMATCH,
}
export const OWNER_MISMATCH = {
  ...USER_MISMATCH,
  cancelSubscription: MISMATCH,
  changeBalance: MISMATCH,
  withdrawTokens: MISMATCH,
  exchangeTokens: MISMATCH,
}
