import { html } from 'hono/html'
import { subscriptionsDue } from '../core/domain/dues.ts'
import type { EmulatorFor } from '../core/emulator.ts'
import { hostedPortal, UNKNOWN_PORTAL } from '../core/pages/hosted-portal.ts'
import { visitOf } from '../core/pages/visits.ts'
import type { Processor } from '../core/processor.ts'
import type { FreemiusAccount } from './accounts.ts'
import { API } from './api.ts'
import { CONTROLS } from './controls.ts'
import { badRequest, noSuch } from './errors.ts'
import { HOSTED_LINK, money } from './hosted-link.ts'
import { newId } from './ids.ts'
import type { FreemiusEvent } from './objects/event.ts'
import { licenseObject } from './objects/license.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { PORTAL_SECONDS } from './portal.ts'
import { cancel, RENEWALS } from './subscriptions.ts'
import { TELLING } from './telling.ts'

export const FREEMIUS = {
  name: 'freemius',
  title: 'Freemius',
  accountOf: ({ productId }: FreemiusAccount) => productId,
  newId,
  noSuch,
  refuse: badRequest,
  api: API,
  telling: TELLING,
  visits: {
    '/product/': HOSTED_LINK,
    '/portal/': visitOf('portalSessions', UNKNOWN_PORTAL, (context, session, { path }) =>
      hostedPortal(context, session, path, { money, lifetimeSeconds: PORTAL_SECONDS, cancel }),
    ),
  },
  duesOf: (context) => subscriptionsDue(context, RENEWALS),
  about: html`Freemius' API answers under <code>/v1/products</code>, to the API key of a paywall file. The page of a checkout
        link is at the <code>checkoutUrl</code> that start-checkout answers.`,
  example: `curl -d '{"subscription":"123…"}' …/_emulator/renew`,
  controls: CONTROLS,
  lists: {
    licenses: { path: 'licenses', table: 'pages', show: licenseObject },
    subscriptions: { path: 'subscriptions', table: 'subscriptions', show: subscriptionObject },
  },
  /** While `manySubscriptions` is on, a user may have several subscriptions of a product; as a rule one at a time. */
  switches: ['manySubscriptions'],
} satisfies Processor<
  FreemiusAccount,
  FreemiusEvent,
  unknown,
  typeof CONTROLS,
  'licenses' | 'subscriptions',
  'manySubscriptions'
>

/** A local Freemius: its API for the official SDK, the page of a checkout link for people, signed webhooks for the service. */
export type FreemiusEmulator = EmulatorFor<typeof FREEMIUS>
