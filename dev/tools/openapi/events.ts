import type * as z from 'zod'
import { EVENT_TYPES, type EventType } from '../../../lib/events/types.ts'
import { EVENT_SCHEMAS } from './event-bodies.ts'
import { EVENT_DESCRIPTIONS } from './event-descriptions.ts'
import { eventExample } from './event-examples.ts'
import { type Json, referTo } from './schemas.ts'

/** The bodies of the events, by their schemas' names in the document. */
export const namedEventSchemas = (): [string, z.ZodType][] =>
  EVENT_TYPES.map((type) => [schemaName(type), EVENT_SCHEMAS[type]])

/** The `webhooks` of the document: the events that we send to owners, by type. */
export const webhooks = (): Json => Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhook(type) }]))

function webhook(type: EventType): Json {
  return {
    operationId: `on${pascalCase(type)}`,
    tags: ['Events'],
    summary: type,
    description: EVENT_DESCRIPTIONS[type],
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: referTo(schemaName(type)), example: eventExample(type) } },
    },
    responses: RESPONSES,
  }
}

/** `subscription.created` is a `SubscriptionCreatedEvent`. */
const schemaName = (type: EventType) => `${pascalCase(type)}Event`

const pascalCase = (type: EventType) => type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

const RETRY_LATER = {
  description:
    'A failed attempt. It is retried after `Retry-After`, up to a day, if that is longer than the usual delay',
  headers: { 'Retry-After': { description: 'Seconds, or a date', schema: { type: 'string' } } },
}

const RESPONSES = {
  '2XX': {
    description:
      'Acknowledges the event. Any other response, including a redirect, is a failed attempt, which is retried',
  },
  '410': {
    description: 'Disables this webhook endpoint. Pending events are delivered, in order, once you enable it again',
  },
  '429': RETRY_LATER,
  '503': RETRY_LATER,
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
