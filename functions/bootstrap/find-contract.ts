import * as z from 'zod'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'

export const FIND_PATH = '/api/v1/paywall'

/** The error for its refusal. */
export const findErrors = defineErrors(paywallErrors)

const Found = z.object({ id: z.string().describe('The id of the paywall') })

export const findPaywall: ApiOperation = {
  id: 'findPaywall',
  method: 'get',
  path: FIND_PATH,
  tag: 'Paywall',
  summary: 'Find the paywall of a domain',
  description:
    "The id of the paywall whose own domain the call was sent to, which is what the other paths need. The service's own host is " +
    "no paywall's: 404 `paywall_not_found`.",
  access: ['anybody'],
  conditional: true,
  reply: {
    status: 200,
    description: "The domain's paywall",
    body: { name: 'FoundPaywall', schema: Found, example: { id: '1001' } satisfies z.input<typeof Found> },
  },
  errors: findErrors,
}
