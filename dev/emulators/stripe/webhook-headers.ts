import { createHmac } from 'node:crypto'

/** The headers that Stripe sends with a webhook, its signature among them. */
export const webhookHeaders = (body: string, secret: string) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Stripe-Signature': sign(body, secret),
  'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
})

function sign(body: string, secret: string): string {
  const at = Math.floor(Date.now() / 1000)
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
