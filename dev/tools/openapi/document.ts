import type * as z from 'zod'
import { Price } from '../../../functions/bootstrap/contract.ts'
import { Purchase, PurchaseWithPayment } from '../../../lib/access/purchase.ts'
import { Grant } from '../../../lib/grants/grant.ts'
import type { Tag } from '../../../lib/http/api-operation.ts'
import { Balance, Trial } from '../../../lib/member-state/member-state.ts'
import { Block } from '../../../lib/paywall/blocks.ts'
import { ERROR } from './errors.ts'
import { namedEventSchemas, webhookParameters, webhooks } from './events.ts'
import { operations } from './operations.ts'
import { parameters } from './parameters.ts'
import { toPaths } from './paths.ts'
import { headers, sharedResponses } from './responses.ts'
import { type Json, namedSchemas } from './schemas.ts'

const TAGS: Record<Tag, string> = {
  Paywall: 'What a paywall sells, and what a user has on it.',
  Checkout: "The processor's hosted page: opening it, and returning from it.",
  Subscription: "Cancelling a subscription, and the processor's portal.",
  Purchases: 'Ending a purchase, and refunding its payments. Owner keys only.',
  Tokens: "Counting a user's tokens. Owner keys only.",
  Grants: 'Access without a payment. Owner keys only.',
  Support: 'Tickets of users and guests.',
  'Sign-in': 'Access tokens for users.',
  Processors: 'Webhooks that processors send to us.',
  Events:
    'Webhooks that we send to you, signed as [Standard Webhooks](https://www.standardwebhooks.com) prescribes. Events ' +
    'arrive at least once, and in order for each user. If you do not answer with 2xx, an event is retried for three days.',
}

const ABOUT = `Checkouts, subscriptions, balances and support for paywalls.

There are two ways to authenticate. An owner's server sends an API key in \`X-Api-Key\`, and can act for any user of its
paywalls. A user's browser or app sends an access token in \`Authorization: Bearer\`, and acts for that user; the sign-in
endpoints issue such tokens. If both are sent, the key is used. Never put a key into a browser.

Test and live mode are separate: test keys, test users and their tokens work on test paywalls only, and one e-mail address
is two users, one in each mode.

Bodies are JSON of at most 64 KB. An error has a stable code or short sentence in \`error\`, which you can compare, and
an explanation for humans in \`message\`. Every response has an \`X-Request-Id\`: include it when you contact support.
\`Retry-After\` is the number of seconds to wait before you retry.

Times are ISO 8601 in UTC. Responses and events may get new fields at any time: ignore fields that you do not know. Countries
are looked up by IP address with [DB-IP](https://db-ip.com).

In the samples \`$API\` is the origin of the service, such as \`https://pay.example.com\`, \`$API_KEY\` an owner's key and
\`$ACCESS_TOKEN\` a user's token.`

/** The OpenAPI document of the whole service, as JSON text. */
export function openApiDocument(): string {
  const document: Json = {
    openapi: '3.1.1',
    info: { title: 'Paywall Billing API', version: '1.0.0', description: ABOUT, license: LICENSE },
    servers: [
      {
        url: '/',
        description: 'The host that serves this document. A paywall with its own domain is also served there',
      },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: toPaths(operations),
    webhooks: webhooks(),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { Error: ERROR, ...namedSchemas(requests(), 'input'), ...namedSchemas(replies(), 'output') },
      parameters: { ...parameters, ...webhookParameters },
      headers,
      responses: sharedResponses(),
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const LICENSE = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }

const SECURITY_SCHEMES = {
  OwnerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: "An owner's key: `pk_test_…` for test paywalls, `pk_live_…` for live ones. For servers only",
  },
  UserToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "A user's access token for all test paywalls of one owner, or for all its live ones, from `sign-in/token` or `sign-in/exchange`",
  },
}

function requests(): Map<string, z.ZodType> {
  return new Map(
    operations.flatMap(({ bodies = {}, form, rawBody }) => [
      ...Object.entries(bodies),
      ...[form, rawBody].flatMap((each): [string, z.ZodType][] => (each ? [[each.name, each.schema]] : [])),
    ]),
  )
}

function replies(): Map<string, z.ZodType> {
  const bodies = operations.flatMap(({ reply: { body } }): [string, z.ZodType][] =>
    body ? [[body.name, body.schema]] : [],
  )
  return new Map([
    ...Object.entries({ Purchase, PurchaseWithPayment, Grant, Balance, Trial, Price, Block }),
    ...namedEventSchemas(),
    ...bodies,
  ])
}
