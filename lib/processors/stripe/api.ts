import Stripe from 'stripe'

/**
 * The SDK makes two attempts. Only a checkout for a customer that Stripe does not take makes two calls, and may so outlast its
 * claim's lease: then the next attempt repeats both under the same keys.
 */
const TIMEOUT_MS = 8_000

/** The official SDK. An empty `base` means api.stripe.com. */
export function stripeApi(secretKey: string, base: string): Stripe {
  return new Stripe(secretKey, {
    apiVersion: '2026-10-28.endive',
    httpClient: Stripe.createFetchHttpClient(),
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(base && address(base)),
  })
}

function address(base: string) {
  const { protocol, hostname, port } = new URL(base)
  return { protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, ...(port && { port }) } as const
}
