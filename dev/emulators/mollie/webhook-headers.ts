import { createHmac } from 'node:crypto'

/** The headers that Mollie sends with a webhook, its signature among them. */
export const webhookHeaders = (body: string, secret: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'X-Mollie-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  'User-Agent': 'Mollie HTTP client/1.0',
})
