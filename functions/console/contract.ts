import type { Endpoint } from '../../lib/http/api-operation.ts'

/**
 * Routed by the gateway like every endpoint, but not part of the OpenAPI document: all paths at the console's origin. Counted by network,
 * because a team may share an address, and an open page refreshes itself.
 */
export const pages: Endpoint[] = (['get', 'post'] as const).map((method) => ({
  method,
  path: '*',
  access: ['anybody'],
  countedBy: 'network',
}))
