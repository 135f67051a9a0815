import type { Database } from '../lib/db/connect.ts'

/** The schema of the database functions that this code calls: see docs/architecture.md. */
const RELEASE = 'release_ab195da4b021e2d6'

/** functions/cancel-subscription/accept-cancellation.sql */
export function acceptCancellation<Result>(db: Database, p: {
  subscriptionId: string
  requestedAt: string
  versions?: object | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.accept_cancellation($1::uuid, $2::timestamp with time zone, $3::jsonb) as result`,
    [p.subscriptionId, p.requestedAt, p.versions ? JSON.stringify(p.versions) : null],
  )
}

/** functions/refund-purchase/accept-refund.sql */
export function acceptRefund<Result>(db: Database, p: {
  ownerId: string
  refundId: string
  processorRefund: string
  amount: number
  fact?: object | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.accept_refund($1::uuid, $2::uuid, $3::text, $4::bigint, $5::jsonb) as result`,
    [p.ownerId, p.refundId, p.processorRefund, p.amount, p.fact ? JSON.stringify(p.fact) : null],
  )
}

/** functions/console/browse-events.sql */
export function browseEvents<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  type?: string | null | undefined
  paywallId?: string | null | undefined
  state?: string | null | undefined
  before?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.browse_events($1::text, $2::boolean, $3::text, $4::text, $5::text, $6::text) as result`,
    [p.sessionHash, p.isTest, p.type ?? null, p.paywallId ?? null, p.state ?? null, p.before ?? null],
  )
}

/** functions/balances/change-balance.sql */
export function changeBalance<Result>(db: Database, p: {
  keyHash: string
  paywallId: string
  host: string
  type: string
  delta: number
  email?: string | null | undefined
  userId?: string | null | undefined
  externalId?: string | null | undefined
  idempotencyKey?: string | null | undefined
  requestHash?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.change_balance($1::text, $2::text, $3::text, $4::text, $5::bigint, $6::text, $7::text, $8::text, $9::uuid, $10::text) as result`,
    [p.keyHash, p.paywallId, p.host, p.type, p.delta, p.email ?? null, p.userId ?? null, p.externalId ?? null, p.idempotencyKey ?? null, p.requestHash ?? null],
  )
}

/** functions/console/change-tokens.sql */
export function changeTokens<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  userId: string
  paywallId: string
  type: string
  delta: number
  key: string
  requestHash: string
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.change_tokens($1::text, $2::boolean, $3::text, $4::text, $5::text, $6::bigint, $7::uuid, $8::text, $9::text) as result`,
    [p.sessionHash, p.isTest, p.userId, p.paywallId, p.type, p.delta, p.key, p.requestHash, p.reason ?? null],
  )
}

/** functions/console/check-user-act.sql */
export function checkUserAct<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  userId: string
  act: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.check_user_act($1::text, $2::boolean, $3::text, $4::text) as result`,
    [p.sessionHash, p.isTest, p.userId, p.act],
  )
}

/** functions/cancel-subscription/claim-cancellation.sql */
export function claimCancellation<Result>(db: Database, p: {
  host: string
  subscriptionId: string
  reason: string
  paywallId?: string | null | undefined
  keyHash?: string | null | undefined
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  email?: string | null | undefined
  userId?: string | null | undefined
  externalId?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.claim_cancellation($1::text, $2::text, $3::text, $4::text, $5::text, $6::uuid, $7::text, $8::uuid, $9::text, $10::text, $11::text) as result`,
    [p.host, p.subscriptionId, p.reason, p.paywallId ?? null, p.keyHash ?? null, p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.email ?? null, p.userId ?? null, p.externalId ?? null],
  )
}

/** functions/start-checkout/claim-checkout.sql */
export function claimCheckout<Result>(db: Database, p: {
  paywallId: string
  host: string
  caller: string
  key: string
  hasKey: boolean
  hash: string
  holder: string
  leaseSeconds: number
  ignoreActivePurchase: boolean
  userMeta: object
  returnOrigin: string
  keyHash?: string | null | undefined
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  email?: string | null | undefined
  externalId?: string | null | undefined
  priceId?: string | null | undefined
  successUrl?: string | null | undefined
  errorUrl?: string | null | undefined
  shopUrl?: string | null | undefined
  trialDays?: number | null | undefined
  country?: string | null | undefined
  localCurrency?: string | null | undefined
  network?: string | null | undefined
  fixedTrials?: object | null | undefined
  afterTrial?: object | null | undefined
  pageLocales?: object | null | undefined
  offer?: string | null | undefined
  code?: string | null | undefined
  quantity?: number | null | undefined
  successOrigin?: string | null | undefined
  errorOrigin?: string | null | undefined
  serviceOrigin?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.claim_checkout($1::text, $2::text, $3::text, $4::uuid, $5::boolean, $6::text, $7::uuid, $8::double precision, $9::boolean, $10::jsonb, $11::text, $12::text, $13::uuid, $14::text, $15::uuid, $16::text, $17::text, $18::text, $19::text, $20::text, $21::text, $22::integer, $23::text, $24::text, $25::text, $26::jsonb, $27::jsonb, $28::jsonb, $29::text, $30::text, $31::integer, $32::text, $33::text, $34::text) as result`,
    [p.paywallId, p.host, p.caller, p.key, p.hasKey, p.hash, p.holder, p.leaseSeconds, p.ignoreActivePurchase, JSON.stringify(p.userMeta), p.returnOrigin, p.keyHash ?? null, p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.email ?? null, p.externalId ?? null, p.priceId ?? null, p.successUrl ?? null, p.errorUrl ?? null, p.shopUrl ?? null, p.trialDays ?? null, p.country ?? null, p.localCurrency ?? null, p.network ?? null, p.fixedTrials ? JSON.stringify(p.fixedTrials) : null, p.afterTrial ? JSON.stringify(p.afterTrial) : null, p.pageLocales ? JSON.stringify(p.pageLocales) : null, p.offer ?? null, p.code ?? null, p.quantity ?? null, p.successOrigin ?? null, p.errorOrigin ?? null, p.serviceOrigin ?? null],
  )
}

/** functions/change-plan/claim-plan-change.sql */
export function claimPlanChange<Result>(db: Database, p: {
  paywallId: string
  host: string
  caller: string
  key: string
  hasKey: boolean
  hash: string
  holder: string
  priceId: string
  capabilities: object
  keyHash?: string | null | undefined
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  email?: string | null | undefined
  userId?: string | null | undefined
  externalId?: string | null | undefined
  subscriptionId?: string | null | undefined
  quantity?: number | null | undefined
  takesEffect?: string | null | undefined
  quote?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.claim_plan_change($1::text, $2::text, $3::text, $4::uuid, $5::boolean, $6::text, $7::uuid, $8::text, $9::jsonb, $10::text, $11::uuid, $12::text, $13::uuid, $14::text, $15::text, $16::text, $17::text, $18::integer, $19::text, $20::uuid) as result`,
    [p.paywallId, p.host, p.caller, p.key, p.hasKey, p.hash, p.holder, p.priceId, JSON.stringify(p.capabilities), p.keyHash ?? null, p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.email ?? null, p.userId ?? null, p.externalId ?? null, p.subscriptionId ?? null, p.quantity ?? null, p.takesEffect ?? null, p.quote ?? null],
  )
}

/** functions/refund-purchase/claim-refund.sql */
export function claimRefund<Result>(db: Database, p: {
  keyHash: string
  paywallId: string
  host: string
  key: string
  hasKey: boolean
  hash: string
  holder: string
  purchaseId: string
  capabilities: object
  payment?: string | null | undefined
  amount?: number | null | undefined
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.claim_refund($1::text, $2::text, $3::text, $4::uuid, $5::boolean, $6::text, $7::uuid, $8::text, $9::jsonb, $10::text, $11::bigint, $12::text) as result`,
    [p.keyHash, p.paywallId, p.host, p.key, p.hasKey, p.hash, p.holder, p.purchaseId, JSON.stringify(p.capabilities), p.payment ?? null, p.amount ?? null, p.reason ?? null],
  )
}

/** functions/cancel-subscription/claim-stay-offer.sql */
export function claimStayOffer<Result>(db: Database, p: {
  tokenUserId: string
  tokenAudience: string
  tokenSessionId: string
  paywallId: string
  host: string
  subscriptionId: string
  offerId: string
  country: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.claim_stay_offer($1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text) as result`,
    [p.tokenUserId, p.tokenAudience, p.tokenSessionId, p.paywallId, p.host, p.subscriptionId, p.offerId, p.country],
  )
}

/** functions/console/close-ticket.sql */
export function closeTicket<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  ticketId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.close_ticket($1::text, $2::boolean, $3::text) as result`,
    [p.sessionHash, p.isTest, p.ticketId],
  )
}

/** functions/console/confirm-console-session.sql */
export function confirmConsoleSession<Result>(db: Database, p: {
  sessionHash: string
  challengeHash: string
  codeHash: string
  maxGuesses: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.confirm_console_session($1::text, $2::text, $3::text, $4::integer) as result`,
    [p.sessionHash, p.challengeHash, p.codeHash, p.maxGuesses],
  )
}

/** functions/sign-in/create-challenge.sql */
export function createChallenge<Result>(db: Database, p: {
  paywallId: string
  host: string
  email: string
  challengeHash: string
  codeHash: string
  codeMinutes: number
  network?: string | null | undefined
  captchaSolved?: boolean | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.create_challenge($1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, $7::text, $8::boolean) as result`,
    [p.paywallId, p.host, p.email, p.challengeHash, p.codeHash, p.codeMinutes, p.network ?? null, p.captchaSolved ?? null],
  )
}

/** functions/console/create-console-challenge.sql */
export function createConsoleChallenge<Result>(db: Database, p: {
  email: string
  challengeHash: string
  codeHash: string
  codeMinutes: number
  network?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.create_console_challenge($1::text, $2::text, $3::text, $4::integer, $5::text) as result`,
    [p.email, p.challengeHash, p.codeHash, p.codeMinutes, p.network ?? null],
  )
}

/** functions/grants/create-grant.sql */
export function createGrant<Result>(db: Database, p: {
  keyHash: string
  paywallId: string
  host: string
  reason: string
  email?: string | null | undefined
  userId?: string | null | undefined
  externalId?: string | null | undefined
  price?: string | null | undefined
  days?: number | null | undefined
  endsAt?: string | null | undefined
  idempotencyKey?: string | null | undefined
  requestHash?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.create_grant($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::integer, $10::timestamp with time zone, $11::uuid, $12::text) as result`,
    [p.keyHash, p.paywallId, p.host, p.reason, p.email ?? null, p.userId ?? null, p.externalId ?? null, p.price ?? null, p.days ?? null, p.endsAt ?? null, p.idempotencyKey ?? null, p.requestHash ?? null],
  )
}

/** functions/reconcile/defer-read.sql */
export function deferRead<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  kind: string
  id: string
  seconds: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.defer_read($1::text, $2::text, $3::text, $4::text, $5::integer) as result`,
    [p.paywallId, p.acquiring, p.kind, p.id, p.seconds],
  )
}

/** functions/start-checkout/discard-page.sql */
export function discardPage<Result>(db: Database, p: {
  paywallId: string
  userId: string
  acquiring: string
  pageId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.discard_page($1::text, $2::uuid, $3::text, $4::text) as result`,
    [p.paywallId, p.userId, p.acquiring, p.pageId],
  )
}

/** functions/reconcile/drop-events.sql */
export function dropEvents<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  eventIds: object
  readAt: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.drop_events($1::text, $2::text, $3::jsonb, $4::timestamp with time zone) as result`,
    [p.paywallId, p.acquiring, JSON.stringify(p.eventIds), p.readAt],
  )
}

/** functions/console/end-console-session.sql */
export function endConsoleSession<Result>(db: Database, p: {
  sessionHash: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.end_console_session($1::text) as result`,
    [p.sessionHash],
  )
}

/** functions/reconcile/end-due-grants.sql */
export function endDueGrants<Result>(db: Database, p: {
  count: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.end_due_grants($1::integer) as result`,
    [p.count],
  )
}

/** functions/sign-in/end-session.sql */
export function endSession<Result>(db: Database, p: {
  paywallId: string
  host: string
  sessionId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.end_session($1::text, $2::text, $3::uuid) as result`,
    [p.paywallId, p.host, p.sessionId],
  )
}

/** functions/console/find-front-mode.sql */
export function findFrontMode<Result>(db: Database, p: {
  sessionHash: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.find_front_mode($1::text) as result`,
    [p.sessionHash],
  )
}

/** functions/start-checkout/find-offer-by-code.sql */
export function findOfferByCode<Result>(db: Database, p: {
  tokenUserId: string
  tokenAudience: string
  tokenSessionId: string
  paywallId: string
  host: string
  code: string
  country: string
  network?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.find_offer_by_code($1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text) as result`,
    [p.tokenUserId, p.tokenAudience, p.tokenSessionId, p.paywallId, p.host, p.code, p.country, p.network ?? null],
  )
}

/** functions/bootstrap/find-paywall-of-host.sql */
export function findPaywallOfHost<Result>(db: Database, p: {
  host: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.find_paywall_of_host($1::text) as result`,
    [p.host],
  )
}

/** functions/get-customer-portal/find-portal-customer.sql */
export function findPortalCustomer<Result>(db: Database, p: {
  paywallId: string
  host: string
  userMeta: object
  keyHash?: string | null | undefined
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  email?: string | null | undefined
  externalId?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.find_portal_customer($1::text, $2::text, $3::jsonb, $4::text, $5::uuid, $6::text, $7::uuid, $8::text, $9::text) as result`,
    [p.paywallId, p.host, JSON.stringify(p.userMeta), p.keyHash ?? null, p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.email ?? null, p.externalId ?? null],
  )
}

/** functions/payments/find-receipt.sql */
export function findReceipt<Result>(db: Database, p: {
  tokenUserId: string
  tokenAudience: string
  tokenSessionId: string
  paywallId: string
  host: string
  payment: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.find_receipt($1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::text) as result`,
    [p.tokenUserId, p.tokenAudience, p.tokenSessionId, p.paywallId, p.host, p.payment],
  )
}

/** functions/checkout-return/find-sale.sql */
export function findSale<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  snapshot: object
  sold: object
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.find_sale($1::text, $2::text, $3::jsonb, $4::jsonb) as result`,
    [p.paywallId, p.acquiring, JSON.stringify(p.snapshot), JSON.stringify(p.sold)],
  )
}

/** functions/console/find-ticket-image.sql */
export function findTicketImage<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  ticketId: string
  objectKey: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.find_ticket_image($1::text, $2::boolean, $3::text, $4::text) as result`,
    [p.sessionHash, p.isTest, p.ticketId, p.objectKey],
  )
}

/** functions/change-plan/finish-plan-change.sql */
export function finishPlanChange<Result>(db: Database, p: {
  ownerId: string
  changeId: string
  holder: string
  reply?: string | null | undefined
  hasAnswered?: boolean | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.finish_plan_change($1::uuid, $2::uuid, $3::uuid, $4::text, $5::boolean) as result`,
    [p.ownerId, p.changeId, p.holder, p.reply ?? null, p.hasAnswered ?? null],
  )
}

/** functions/refund-purchase/finish-refund.sql */
export function finishRefund<Result>(db: Database, p: {
  ownerId: string
  refundId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.finish_refund($1::uuid, $2::uuid) as result`,
    [p.ownerId, p.refundId],
  )
}

/** functions/purge-expired/fold-figures.sql */
export function foldFigures<Result>(db: Database, p: {
  count: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.fold_figures($1::integer) as result`,
    [p.count],
  )
}

/** functions/cancel-subscription/give-up-cancellation.sql */
export function giveUpCancellation<Result>(db: Database, p: {
  subscriptionId: string
  requestedAt: string
  isKnown: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.give_up_cancellation($1::uuid, $2::timestamp with time zone, $3::boolean) as result`,
    [p.subscriptionId, p.requestedAt, p.isKnown],
  )
}

/** functions/start-checkout/give-up-checkout.sql */
export function giveUpCheckout<Result>(db: Database, p: {
  paywallId: string
  caller: string
  key: string
  holder: string
  answered: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.give_up_checkout($1::text, $2::text, $3::uuid, $4::uuid, $5::boolean) as result`,
    [p.paywallId, p.caller, p.key, p.holder, p.answered],
  )
}

/** functions/refund-purchase/give-up-refund.sql */
export function giveUpRefund<Result>(db: Database, p: {
  ownerId: string
  refundId: string
  holder: string
  isRefused: boolean
  hasAnswered: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.give_up_refund($1::uuid, $2::uuid, $3::uuid, $4::boolean, $5::boolean) as result`,
    [p.ownerId, p.refundId, p.holder, p.isRefused, p.hasAnswered],
  )
}

/** functions/deliver-events/hold-delivery.sql */
export function holdDelivery<Result>(db: Database, p: {
  eventId: string
  endpointId: string
  holder: string
  attempts: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.hold_delivery($1::text, $2::uuid, $3::uuid, $4::integer) as result`,
    [p.eventId, p.endpointId, p.holder, p.attempts],
  )
}

/** lib/auth/is-live-key.sql */
export function isLiveKey<Result>(db: Database, p: {
  keyHash: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.is_live_key($1::text) as result`,
    [p.keyHash],
  )
}

/** functions/processor-webhook/keep-event.sql */
export function keepEvent<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  eventId: string
  reference: object
  versions: object
  trialEnding: boolean
  payment?: object | null | undefined
  hold?: number | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.keep_event($1::text, $2::text, $3::text, $4::jsonb, $5::jsonb, $6::boolean, $7::jsonb, $8::double precision) as result`,
    [p.paywallId, p.acquiring, p.eventId, JSON.stringify(p.reference), JSON.stringify(p.versions), p.trialEnding, p.payment ? JSON.stringify(p.payment) : null, p.hold ?? null],
  )
}

/** functions/processor-webhook/keep-notice.sql */
export function keepNotice<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  checkoutId: string
  pageId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.keep_notice($1::text, $2::text, $3::uuid, $4::text) as result`,
    [p.paywallId, p.acquiring, p.checkoutId, p.pageId],
  )
}

/** functions/deliver-events/lease-deliveries.sql */
export function leaseDeliveries<Result>(db: Database, p: {
  holder: string
  count: number
  failingCount: number
  after: string
  until: string
  recent: string[]
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.lease_deliveries($1::uuid, $2::integer, $3::integer, $4::uuid, $5::uuid, $6::uuid[]) as result`,
    [p.holder, p.count, p.failingCount, p.after, p.until, p.recent],
  )
}

/** functions/console/list-audit-log.sql */
export function listAuditLog<Result>(db: Database, p: {
  sessionHash: string
  before?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.list_audit_log($1::text, $2::text) as result`,
    [p.sessionHash, p.before ?? null],
  )
}

/** functions/list-events/list-events.sql */
export function listEvents<Result>(db: Database, p: {
  keyHash: string
  host: string
  count: number
  after?: number | null | undefined
  readSince?: number | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.list_events($1::text, $2::text, $3::integer, $4::bigint, $5::bigint) as result`,
    [p.keyHash, p.host, p.count, p.after ?? null, p.readSince ?? null],
  )
}

/** functions/console/list-keys.sql */
export function listKeys<Result>(db: Database, p: {
  sessionHash: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.list_keys($1::text) as result`,
    [p.sessionHash],
  )
}

/** functions/payments/list-payments.sql */
export function listPayments<Result>(db: Database, p: {
  tokenUserId: string
  tokenAudience: string
  tokenSessionId: string
  paywallId: string
  host: string
  before?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.list_payments($1::uuid, $2::text, $3::uuid, $4::text, $5::text, $6::text) as result`,
    [p.tokenUserId, p.tokenAudience, p.tokenSessionId, p.paywallId, p.host, p.before ?? null],
  )
}

/** functions/console/list-tickets.sql */
export function listTickets<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  before?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.list_tickets($1::text, $2::boolean, $3::text) as result`,
    [p.sessionHash, p.isTest, p.before ?? null],
  )
}

/** functions/console/list-webhook-endpoints.sql */
export function listWebhookEndpoints<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.list_webhook_endpoints($1::text, $2::boolean) as result`,
    [p.sessionHash, p.isTest],
  )
}

/** functions/console/merge-found-users.sql */
export function mergeFoundUsers<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  userId: string
  intoName: string
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.merge_found_users($1::text, $2::boolean, $3::text, $4::text, $5::text) as result`,
    [p.sessionHash, p.isTest, p.userId, p.intoName, p.reason ?? null],
  )
}

/** functions/deliver-events/oldest-due.sql */
export function oldestDue<Result>(db: Database, p: {
  after?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.oldest_due($1::uuid) as result`,
    [p.after ?? null],
  )
}

/** functions/support-ticket/open-ticket.sql */
export function openTicket<Result>(db: Database, p: {
  paywallId: string
  host: string
  subject: string
  content: string
  attachments: object
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  guestEmail?: string | null | undefined
  network?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.open_ticket($1::text, $2::text, $3::text, $4::text, $5::jsonb, $6::uuid, $7::text, $8::uuid, $9::text, $10::text) as result`,
    [p.paywallId, p.host, p.subject, p.content, JSON.stringify(p.attachments), p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.guestEmail ?? null, p.network ?? null],
  )
}

/** functions/console/ping-webhook.sql */
export function pingWebhook<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  endpointId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.ping_webhook($1::text, $2::boolean, $3::text) as result`,
    [p.sessionHash, p.isTest, p.endpointId],
  )
}

/** functions/support-ticket/precheck-ticket.sql */
export function precheckTicket<Result>(db: Database, p: {
  paywallId: string
  host: string
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  guestEmail?: string | null | undefined
  network?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.precheck_ticket($1::text, $2::text, $3::uuid, $4::text, $5::uuid, $6::text, $7::text) as result`,
    [p.paywallId, p.host, p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.guestEmail ?? null, p.network ?? null],
  )
}

/** functions/change-plan/preview-plan-change.sql */
export function previewPlanChange<Result>(db: Database, p: {
  paywallId: string
  host: string
  priceId: string
  capabilities: object
  keyHash?: string | null | undefined
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  email?: string | null | undefined
  userId?: string | null | undefined
  externalId?: string | null | undefined
  subscriptionId?: string | null | undefined
  quantity?: number | null | undefined
  takesEffect?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.preview_plan_change($1::text, $2::text, $3::text, $4::jsonb, $5::text, $6::uuid, $7::text, $8::uuid, $9::text, $10::text, $11::text, $12::text, $13::integer, $14::text) as result`,
    [p.paywallId, p.host, p.priceId, JSON.stringify(p.capabilities), p.keyHash ?? null, p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.email ?? null, p.userId ?? null, p.externalId ?? null, p.subscriptionId ?? null, p.quantity ?? null, p.takesEffect ?? null],
  )
}

/** functions/purge-expired/purge-checkouts.sql */
export function purgeCheckouts<Result>(db: Database, p: {
  count: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.purge_checkouts($1::integer) as result`,
    [p.count],
  )
}

/** functions/purge-expired/purge-expired.sql */
export function purgeExpired<Result>(db: Database, p: {
  count: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.purge_expired($1::integer) as result`,
    [p.count],
  )
}

/** functions/purge-expired/purge-users.sql */
export function purgeUsers<Result>(db: Database, p: {
  count: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.purge_users($1::integer) as result`,
    [p.count],
  )
}

/** lib/processors/read-account.sql */
export function readAccount<Result>(db: Database, p: {
  acquiring: string
  paywallId: string
  host: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.read_account($1::text, $2::text, $3::text) as result`,
    [p.acquiring, p.paywallId, p.host],
  )
}

/** functions/bootstrap/read-bootstrap.sql */
export function readBootstrap<Result>(db: Database, p: {
  paywallId: string
  host: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.read_bootstrap($1::text, $2::text) as result`,
    [p.paywallId, p.host],
  )
}

/** functions/checkout-return/read-checkout.sql */
export function readCheckout<Result>(db: Database, p: {
  checkoutId: string
  host: string
  mayAsk: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.read_checkout($1::uuid, $2::text, $3::boolean) as result`,
    [p.checkoutId, p.host, p.mayAsk],
  )
}

/** functions/user/read-user.sql */
export function readUser<Result>(db: Database, p: {
  paywallId: string
  host: string
  keyHash?: string | null | undefined
  tokenUserId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
  email?: string | null | undefined
  userId?: string | null | undefined
  externalId?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.read_user($1::text, $2::text, $3::text, $4::uuid, $5::text, $6::uuid, $7::text, $8::text, $9::text) as result`,
    [p.paywallId, p.host, p.keyHash ?? null, p.tokenUserId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null, p.email ?? null, p.userId ?? null, p.externalId ?? null],
  )
}

/** functions/bootstrap/read-user-bootstrap.sql */
export function readUserBootstrap<Result>(db: Database, p: {
  tokenUserId: string
  tokenAudience: string
  tokenSessionId: string
  paywallId: string
  host: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.read_user_bootstrap($1::uuid, $2::text, $3::uuid, $4::text, $5::text) as result`,
    [p.tokenUserId, p.tokenAudience, p.tokenSessionId, p.paywallId, p.host],
  )
}

/** functions/reconcile/record-access-end.sql */
export function recordAccessEnd<Result>(db: Database, p: {
  purchaseId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_access_end($1::uuid) as result`,
    [p.purchaseId],
  )
}

/** functions/start-checkout/record-checkout.sql */
export function recordCheckout<Result>(db: Database, p: {
  paywallId: string
  checkoutId: string
  caller: string
  key: string
  holder: string
  pageId: string
  url: string
  currency: string
  amount: number
  processorPrice: string
  expiresAt?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_checkout($1::text, $2::uuid, $3::text, $4::uuid, $5::uuid, $6::text, $7::text, $8::text, $9::bigint, $10::text, $11::timestamp with time zone) as result`,
    [p.paywallId, p.checkoutId, p.caller, p.key, p.holder, p.pageId, p.url, p.currency, p.amount, p.processorPrice, p.expiresAt ?? null],
  )
}

/** functions/deliver-events/record-delivery.sql */
export function recordDelivery<Result>(db: Database, p: {
  eventId: string
  endpointId: string
  holder: string
  attempts: number
  state: string
  retryInSeconds: number
  disable: boolean
  milliseconds: number
  status?: number | null | undefined
  error?: string | null | undefined
  response?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_delivery($1::text, $2::uuid, $3::uuid, $4::integer, $5::text, $6::double precision, $7::boolean, $8::integer, $9::integer, $10::text, $11::text) as result`,
    [p.eventId, p.endpointId, p.holder, p.attempts, p.state, p.retryInSeconds, p.disable, p.milliseconds, p.status ?? null, p.error ?? null, p.response ?? null],
  )
}

/** lib/processors/record-hold.sql */
export function recordHold<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  hold: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_hold($1::text, $2::text, $3::double precision) as result`,
    [p.paywallId, p.acquiring, p.hold],
  )
}

/** functions/change-plan/record-plan-quote.sql */
export function recordPlanQuote<Result>(db: Database, p: {
  ownerId: string
  changeId: string
  dueNow: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_plan_quote($1::uuid, $2::uuid, $3::bigint) as result`,
    [p.ownerId, p.changeId, p.dueNow],
  )
}

/** functions/console/record-reply-sent.sql */
export function recordReplySent<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  ticketId: string
  replyId: string
  closes: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_reply_sent($1::text, $2::boolean, $3::text, $4::uuid, $5::boolean) as result`,
    [p.sessionHash, p.isTest, p.ticketId, p.replyId, p.closes],
  )
}

/** lib/purchases/record-stop.sql */
export function recordStop<Result>(db: Database, p: {
  purchaseId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_stop($1::uuid) as result`,
    [p.purchaseId],
  )
}

/** lib/purchases/record-stop-failure.sql */
export function recordStopFailure<Result>(db: Database, p: {
  purchaseId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.record_stop_failure($1::uuid) as result`,
    [p.purchaseId],
  )
}

/** functions/sign-in/refresh-session.sql */
export function refreshSession<Result>(db: Database, p: {
  paywallId: string
  host: string
  sessionId: string
  presentedHash: string
  nextHash: string
  tokenDays: number
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.refresh_session($1::text, $2::text, $3::uuid, $4::text, $5::text, $6::integer) as result`,
    [p.paywallId, p.host, p.sessionId, p.presentedHash, p.nextHash, p.tokenDays],
  )
}

/** functions/sign-in/refund-mail.sql */
export function refundMail<Result>(db: Database, p: {
  paywallId: string
  email: string
  network: string
  captchaSolved: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.refund_mail($1::text, $2::text, $3::text, $4::boolean) as result`,
    [p.paywallId, p.email, p.network, p.captchaSolved],
  )
}

/** functions/console/replay-events.sql */
export function replayEvents<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  eventId?: string | null | undefined
  endpointId?: string | null | undefined
  since?: string | null | undefined
  until?: string | null | undefined
  failedOnly?: boolean | null | undefined
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.replay_events($1::text, $2::boolean, $3::text, $4::text, $5::text, $6::text, $7::boolean, $8::text) as result`,
    [p.sessionHash, p.isTest, p.eventId ?? null, p.endpointId ?? null, p.since ?? null, p.until ?? null, p.failedOnly ?? null, p.reason ?? null],
  )
}

/** functions/console/reply-to-ticket.sql */
export function replyToTicket<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  ticketId: string
  replyId: string
  content: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.reply_to_ticket($1::text, $2::boolean, $3::text, $4::uuid, $5::text) as result`,
    [p.sessionHash, p.isTest, p.ticketId, p.replyId, p.content],
  )
}

/** functions/end-purchase/request-purchase-end.sql */
export function requestPurchaseEnd<Result>(db: Database, p: {
  keyHash: string
  paywallId: string
  host: string
  purchaseId: string
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.request_purchase_end($1::text, $2::text, $3::text, $4::text, $5::text) as result`,
    [p.keyHash, p.paywallId, p.host, p.purchaseId, p.reason ?? null],
  )
}

/** functions/grants/revoke-grant.sql */
export function revokeGrant<Result>(db: Database, p: {
  keyHash: string
  paywallId: string
  host: string
  grantId: string
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.revoke_grant($1::text, $2::text, $3::text, $4::text, $5::text) as result`,
    [p.keyHash, p.paywallId, p.host, p.grantId, p.reason ?? null],
  )
}

/** functions/console/revoke-key.sql */
export function revokeKey<Result>(db: Database, p: {
  sessionHash: string
  keyId: string
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.revoke_key($1::text, $2::text, $3::text) as result`,
    [p.sessionHash, p.keyId, p.reason ?? null],
  )
}

/** functions/console/rotate-webhook.sql */
export function rotateWebhook<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  endpointId: string
  url: string
  secret: string
  reason: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.rotate_webhook($1::text, $2::boolean, $3::text, $4::text, $5::text, $6::text) as result`,
    [p.sessionHash, p.isTest, p.endpointId, p.url, p.secret, p.reason],
  )
}

/** functions/console/search-users.sql */
export function searchUsers<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  search?: string | null | undefined
  before?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.search_users($1::text, $2::boolean, $3::text, $4::text) as result`,
    [p.sessionHash, p.isTest, p.search ?? null, p.before ?? null],
  )
}

/** functions/console/set-webhook-enabled.sql */
export function setWebhookEnabled<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  endpointId: string
  enabled: boolean
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.set_webhook_enabled($1::text, $2::boolean, $3::text, $4::boolean, $5::text) as result`,
    [p.sessionHash, p.isTest, p.endpointId, p.enabled, p.reason ?? null],
  )
}

/** functions/cancel-subscription/settle-stay-offer.sql */
export function settleStayOffer<Result>(db: Database, p: {
  purchaseId: string
  offerId: string
  given: boolean
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.settle_stay_offer($1::uuid, $2::text, $3::boolean) as result`,
    [p.purchaseId, p.offerId, p.given],
  )
}

/** functions/console/show-event.sql */
export function showEvent<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  eventId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.show_event($1::text, $2::boolean, $3::text) as result`,
    [p.sessionHash, p.isTest, p.eventId],
  )
}

/** functions/console/show-figures.sql */
export function showFigures<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  by: string
  firstDay?: string | null | undefined
  lastDay?: string | null | undefined
  days?: number | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.show_figures($1::text, $2::boolean, $3::text, $4::text, $5::text, $6::integer) as result`,
    [p.sessionHash, p.isTest, p.by, p.firstDay ?? null, p.lastDay ?? null, p.days ?? null],
  )
}

/** functions/console/show-ticket.sql */
export function showTicket<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  ticketId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.show_ticket($1::text, $2::boolean, $3::text) as result`,
    [p.sessionHash, p.isTest, p.ticketId],
  )
}

/** functions/console/show-user.sql */
export function showUser<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  userId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.show_user($1::text, $2::boolean, $3::text) as result`,
    [p.sessionHash, p.isTest, p.userId],
  )
}

/** functions/sign-in/sign-in-anonymously.sql */
export function signInAnonymously<Result>(db: Database, p: {
  paywallId: string
  host: string
  sessionId: string
  tokenHash: string
  tokenDays: number
  network?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.sign_in_anonymously($1::text, $2::text, $3::uuid, $4::text, $5::integer, $6::text) as result`,
    [p.paywallId, p.host, p.sessionId, p.tokenHash, p.tokenDays, p.network ?? null],
  )
}

/** functions/sign-in/sign-in-by-code.sql */
export function signInByCode<Result>(db: Database, p: {
  paywallId: string
  host: string
  email: string
  challengeHash: string
  codeHash: string
  maxGuesses: number
  restore: boolean
  sessionId: string
  tokenHash: string
  tokenDays: number
  anonymousId?: string | null | undefined
  tokenAudience?: string | null | undefined
  tokenSessionId?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.sign_in_by_code($1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, $7::boolean, $8::uuid, $9::text, $10::integer, $11::uuid, $12::text, $13::uuid) as result`,
    [p.paywallId, p.host, p.email, p.challengeHash, p.codeHash, p.maxGuesses, p.restore, p.sessionId, p.tokenHash, p.tokenDays, p.anonymousId ?? null, p.tokenAudience ?? null, p.tokenSessionId ?? null],
  )
}

/** functions/sign-in/sign-in-for-owner.sql */
export function signInForOwner<Result>(db: Database, p: {
  keyHash: string
  paywallId: string
  host: string
  sessionId: string
  tokenHash: string
  tokenDays: number
  email?: string | null | undefined
  externalId?: string | null | undefined
  name?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.sign_in_for_owner($1::text, $2::text, $3::text, $4::uuid, $5::text, $6::integer, $7::text, $8::text, $9::text) as result`,
    [p.keyHash, p.paywallId, p.host, p.sessionId, p.tokenHash, p.tokenDays, p.email ?? null, p.externalId ?? null, p.name ?? null],
  )
}

/** functions/console/sign-in-to-console.sql */
export function signInToConsole<Result>(db: Database, p: {
  email: string
  challengeHash: string
  codeHash: string
  maxGuesses: number
  sessionHash: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.sign_in_to_console($1::text, $2::text, $3::text, $4::integer, $5::text) as result`,
    [p.email, p.challengeHash, p.codeHash, p.maxGuesses, p.sessionHash],
  )
}

/** functions/console/sign-out-user.sql */
export function signOutUser<Result>(db: Database, p: {
  sessionHash: string
  isTest: boolean
  userId: string
  reason?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.sign_out_user($1::text, $2::boolean, $3::text, $4::text) as result`,
    [p.sessionHash, p.isTest, p.userId, p.reason ?? null],
  )
}

/** lib/purchases/store-purchase.sql */
export function storePurchase<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  snapshot: object
  fetchedAt: string
  periodCovered: boolean
  trialEnding: boolean
  checkoutId?: string | null | undefined
  sold?: object | null | undefined
  payments?: object | null | undefined
  eventId?: string | null | undefined
  versions?: object | null | undefined
  unfinished?: boolean | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.store_purchase($1::text, $2::text, $3::jsonb, $4::timestamp with time zone, $5::boolean, $6::boolean, $7::uuid, $8::jsonb, $9::jsonb, $10::text, $11::jsonb, $12::boolean) as result`,
    [p.paywallId, p.acquiring, JSON.stringify(p.snapshot), p.fetchedAt, p.periodCovered, p.trialEnding, p.checkoutId ?? null, p.sold ? JSON.stringify(p.sold) : null, p.payments ? JSON.stringify(p.payments) : null, p.eventId ?? null, p.versions ? JSON.stringify(p.versions) : null, p.unfinished ?? null],
  )
}

/** functions/console/switch-owner.sql */
export function switchOwner<Result>(db: Database, p: {
  sessionHash: string
  ownerId: string
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.switch_owner($1::text, $2::text) as result`,
    [p.sessionHash, p.ownerId],
  )
}

/** functions/reconcile/take-due.sql */
export function takeDue<Result>(db: Database, p: {
  count: number
  after: string
  until: string
  limits?: object | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.take_due($1::integer, $2::text, $3::text, $4::jsonb) as result`,
    [p.count, p.after, p.until, p.limits ? JSON.stringify(p.limits) : null],
  )
}

/** functions/reconcile/take-pending-read.sql */
export function takePendingRead<Result>(db: Database, p: {
  paywallId: string
  acquiring: string
  kind: string
  processorId: string
  limits?: object | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.take_pending_read($1::text, $2::text, $3::text, $4::text, $5::jsonb) as result`,
    [p.paywallId, p.acquiring, p.kind, p.processorId, p.limits ? JSON.stringify(p.limits) : null],
  )
}

/** functions/withdraw-tokens/withdraw-tokens.sql */
export function withdrawTokens<Result>(db: Database, p: {
  keyHash: string
  paywallId: string
  host: string
  type: string
  tokens: number
  userId?: string | null | undefined
  externalId?: string | null | undefined
  idempotencyKey?: string | null | undefined
  requestHash?: string | null | undefined
}): Promise<Result> {
  return db.call(
    `select ${RELEASE}.withdraw_tokens($1::text, $2::text, $3::text, $4::text, $5::bigint, $6::text, $7::text, $8::uuid, $9::text) as result`,
    [p.keyHash, p.paywallId, p.host, p.type, p.tokens, p.userId ?? null, p.externalId ?? null, p.idempotencyKey ?? null, p.requestHash ?? null],
  )
}
