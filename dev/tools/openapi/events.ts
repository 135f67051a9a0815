import type * as z from 'zod'
import { EVENT_TYPES, type EventType } from '../../../lib/events/types.ts'
import {
  BalanceEvent,
  CheckoutEvent,
  EVENT_MEANINGS,
  PaymentEvent,
  SubscriptionEvent,
  TicketEvent,
} from './event-bodies.ts'
import { eventExample } from './event-examples.ts'
import { type Json, referTo } from './schemas.ts'

/** The bodies of the events, by their schemas' names in the document. */
export const EVENT_SCHEMAS: Record<string, z.ZodType> = {
  SubscriptionEvent,
  PaymentEvent,
  CheckoutEvent,
  TicketEvent,
  BalanceEvent,
}

/** The `webhooks` of the document: the events that we send to owners, by type. */
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
    requestBody: {
      required: true,
      content: { 'application/json': { schema: referTo(schemaName(type)), example: eventExample(type) } },
    },
    responses: ANSWERS,
  }
}

/** `subscription.created` is a `SubscriptionEvent`. */
function schemaName(type: EventType): string {
  const noun = type.slice(0, type.indexOf('.'))
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Event`
}

const ANSWERS = {
  '2XX': {
    description:
      'You have received the event. Any other response, including a redirect, is a failure, and the event is sent again',
  },
  '410': { description: 'You want no more events: nothing more is sent to this address' },
  '429': {
    description: 'You are too busy. The event is sent again after `Retry-After`',
    headers: { 'Retry-After': { description: 'Seconds, or a date', schema: { type: 'string' } } },
  },
}

/** The headers that authenticate an event. */
export const webhookParameters: Record<string, Json> = {
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: "The event's id, the same in every retry. Use it to detect events that you have already handled",
    schema: { type: 'string' },
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was sent, in Unix seconds',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` under the secret of your webhook ' +
      'endpoint. While a secret is being replaced there are two signatures, with a space between them',
    schema: { type: 'string' },
  },
}
