import type * as z from 'zod'
import { Price } from '../../../functions/bootstrap/contract.ts'
import type { Tag } from '../../../lib/http/api-operation.ts'
import { Balance, Trial } from '../../../lib/purchases/member-state.ts'
import { Purchase } from '../../../lib/purchases/purchase.ts'
import { EVENT_SCHEMAS, webhookParameters, webhooks } from './events.ts'
import { operations } from './operations.ts'
import { parameters, pathsOf } from './paths.ts'
import { ERROR } from './refusals.ts'
import { headers, sharedResponses } from './responses.ts'
import { type Json, namedSchemas } from './schemas.ts'

const TAGS: Record<Tag | 'Events', string> = {
  Paywall: 'What is sold, and what a user has of it.',
  Checkout: 'The way to the hosted page of the processor, and back.',
  Subscription: 'What an owner or a user does about a subscription.',
  Tokens: "Counting a user's tokens. Owner keys only.",
  Support: 'Tickets of users and guests.',
  'Sign-in': 'Access tokens for users.',
  Processors: 'What the processors tell us.',
  Events:
    'What we tell owners. Events are signed as [Standard Webhooks](https://www.standardwebhooks.com) has it, come at ' +
    'least once, in order for each user, and are repeated for three days until they are answered with 2xx.',
}

const ABOUT = `Checkouts, subscriptions, balances and support for paywalls.

An owner calls from its server with an API key in \`X-Api-Key\`, for any user of its paywalls. A user calls with a token in
\`Authorization: Bearer\`, for itself; \`sign-in\` gives tokens. If both are sent the key decides. Never send a key to a browser.

Bodies are JSON of at most 64 KB. An error says what is wrong in \`error\`, and perhaps more to a human in \`message\`. Every
answer has an \`X-Request-Id\`: tell it when you ask for help. On 429 and 503 \`Retry-After\` says when to come back.

Times are ISO 8601 in UTC. Members may be added to answers and events: pass over those that you do not know. The SDK sends
\`X-Paywall-Id\` and \`X-SDK-Version\`; nothing depends on them. Countries are told from addresses by [DB-IP](https://db-ip.com).`

/** The OpenAPI document of the whole service, as JSON text. */
export function openApiDocument(): string {
  const document: Json = {
    openapi: '3.1.1',
    info: { title: 'Paywall Billing API', version: '1.0.0', description: ABOUT, license: LICENSE },
    servers: [
      { url: '/', description: "The host that serves this document. A paywall's own domain serves that paywall" },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(operations),
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
    description: "A user's access token for one paywall, of `sign-in/token` or `sign-in/exchange`",
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
  return new Map([...Object.entries({ Purchase, Balance, Trial, Price, ...EVENT_SCHEMAS }), ...bodies])
}
