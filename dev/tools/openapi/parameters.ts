import type { Json } from './schemas.ts'

/** The paywall in all examples. */
export const EXAMPLE_PAYWALL = '1001'

/** The document's `components.parameters`: those that several operations share. */
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
      'A UUID that you generate for the call, preferably at random; it may be quoted. Repeated calls with the same ' +
      'key take effect once',
    schema: { type: 'string', format: 'uuid' },
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the response that you have',
    schema: { type: 'string' },
  },
  ClientIp: {
    name: 'X-Client-Ip',
    in: 'header',
    description:
      "The end user's IP address, when your server makes the call. It determines `country`, `tier` and `countryMatch`, and " +
      'nothing else. `X-Forwarded-For` is ignored',
    schema: { type: 'string' },
  },
  NamedPaywall: {
    name: 'X-Paywall-Id',
    in: 'header',
    description:
      "The id of the client's paywall; the SDK always sends it. If the call is about another paywall, it is " +
      "refused with 400 `paywall_id_mismatch`. If neither the path nor the body names a paywall, as in a user's call of `cancel-subscription`, " +
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
