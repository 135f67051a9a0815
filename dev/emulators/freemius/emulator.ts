import { randomBytes } from 'node:crypto'
import { subscriptionsDue } from '../core/domain/dues.ts'
import type { Table } from '../core/domain/records.ts'
import { portalVisit } from '../core/pages/hosted-portal.ts'
import { MINUTE_SECONDS } from '../core/periods.ts'
import { createEmulator } from '../core/start.ts'
import type { FreemiusAccount } from './accounts.ts'
import { API } from './api.ts'
import { CONTROLS } from './controls.ts'
import { badRequest, noSuch } from './errors.ts'
import { HOSTED_LINK, money } from './hosted-link.ts'
import { licenseObject, subscriptionObject } from './objects/license.ts'
import { disputeObject, paymentObject, refundObject } from './objects/payment.ts'
import { userObject } from './objects/product.ts'
import { changePlan } from './plan-changes.ts'
import { cancel, RENEWALS } from './subscriptions.ts'
import { WEBHOOK_FORMAT } from './webhook-format.ts'

/** Freemius' ids are ascending numbers in strings. The SDK parses them as JavaScript numbers. */
let latest = 0

function newId(kind: Table): string {
  // The id in a portal's URL must be secret.
  if (kind === 'portalSessions') return randomBytes(20).toString('hex')
  latest = Math.max(latest + 1, Date.now() * 1000)
  return String(latest)
}

export const startFreemiusEmulator = createEmulator({
  name: 'freemius',
  accountId: ({ productId }: FreemiusAccount) => productId,
  newId,
  noSuch,
  refuse: badRequest,
  api: API,
  webhookFormat: WEBHOOK_FORMAT,
  views: {
    customers: userObject,
    pages: licenseObject,
    subscriptions: subscriptionObject,
    payments: paymentObject,
    refunds: refundObject,
    disputes: disputeObject,
  },
  visits: {
    '/product/': HOSTED_LINK,
    // The lifetime of five minutes is UNVERIFIED.
    '/portal/': portalVisit({ money, lifetimeSeconds: 5 * MINUTE_SECONDS, cancel, change: changePlan }),
  },
  listDues: (context) => subscriptionsDue(context, RENEWALS),
  about: { path: '/v1/products', credential: 'API key' },
  controls: CONTROLS,
  lists: { licenses: 'pages', subscriptions: 'subscriptions' },
  /** `manySubscriptions`: a user may have several subscriptions of a product instead of one. */
  switches: ['manySubscriptions'],
})

/** A local Freemius: its API for the official SDK, the page of a checkout link for people, signed webhooks for the service. */
export type FreemiusEmulator = Awaited<ReturnType<typeof startFreemiusEmulator>>
