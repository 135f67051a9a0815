import type * as z from 'zod'
import {
  BalanceEvent,
  CheckoutEvent,
  EVENT_MEANINGS,
  PaymentEvent,
  SubscriptionEvent,
  TicketEvent,
} from '../../../lib/events/bodies.ts'
import { EVENT_TYPES, type EventType } from '../../../lib/events/types.ts'
import { type Json, referTo } from './schemas.ts'

/** The bodies of the events, by the name that their schemas have in the document. */
export const EVENT_SCHEMAS: Record<string, z.ZodType> = {
  SubscriptionEvent,
  PaymentEvent,
  CheckoutEvent,
  TicketEvent,
  BalanceEvent,
}

/** `webhooks`: what we send to owners, by the type of event. */
export const webhooks = (): Json => Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhook(type) }]))

function webhook(type: EventType): Json {
  return {
    operationId: `on${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['Events'],
    summary: EVENT_MEANINGS[type],
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: { required: true, content: { 'application/json': { schema: referTo(schemaNameOf(type)) } } },
    responses: ANSWERS,
  }
}

/** `subscription.created` is a `SubscriptionEvent`. */
function schemaNameOf(type: EventType): string {
  const noun = type.slice(0, type.indexOf('.'))
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Event`
}

const ANSWERS = {
  '2XX': { description: 'You have it. Anything else, a redirect too, is a failure, and it is sent again' },
  '410': { description: 'You want no more of them: nothing is sent to this address from now on' },
  '429': {
    description: 'Later, please. `Retry-After` is obeyed',
    headers: { 'Retry-After': { description: 'Seconds, or a date', schema: { type: 'string' } } },
  },
}

/** The headers that prove an event. */
export const webhookParameters: Record<string, Json> = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: "The event's id, the same however often it is sent: what you have seen you can pass over",
    schema: { type: 'string' },
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When it was sent, in Unix seconds',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` by the secret; one for each, ' +
      'with a space between, while a secret is being replaced',
    schema: { type: 'string' },
  },
}
