import type { Json } from './schemas.ts'

/** The paywall that all examples are about. */
export const EXAMPLE_PAYWALL = '1001'

/** The document's `components.parameters`: those that several operations take. */
export const parameters: Record<string, Json> = {
  PaywallId: {
    name: 'id',
    in: 'path',
    required: true,
    description: "The id of the paywall. A paywall's own domain answers for that paywall only",
    schema: { type: 'string' },
    example: EXAMPLE_PAYWALL,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A UUID that you choose for the call, best a random one; it may be in quotes. A call that is repeated with the same ' +
      'key takes effect once',
    schema: { type: 'string', format: 'uuid' },
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the answer that you have',
    schema: { type: 'string' },
  },
  ClientIp: {
    name: 'X-Client-Ip',
    in: 'header',
    description:
      "The end user's IP address, when your server makes the call. It decides `country`, `tier` and `countryMatch`, and " +
      'nothing else. `X-Forwarded-For` is ignored',
    schema: { type: 'string' },
  },
  NamedPaywall: {
    name: 'X-Paywall-Id',
    in: 'header',
    description:
      'The id of the paywall that the client is made for; the SDK always sends it. If the call is about another one, it is ' +
      "refused with 400 `paywall_id_mismatch`. Where neither path nor body names one, as in a user's call of `cancel-subscription`, " +
      'the call is about this one',
    schema: { type: 'string' },
  },
  SdkVersion: {
    name: 'X-SDK-Version',
    in: 'header',
    description: 'Name and version of the client. We log it with the call, if it is no longer than 64 characters',
    schema: { type: 'string' },
  },
}
