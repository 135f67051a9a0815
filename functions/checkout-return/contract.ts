import * as z from 'zod'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineWords } from '../../lib/http/errors.ts'

export const PATH = '/r/:checkoutId/:outcome{success|error}'

export const Params = z.object({
  checkoutId: z.uuid().describe('The id of the checkout, which also replaces `__SESSION__` in your URLs'),
  outcome: z.enum(['success', 'error']).describe('`error` if the buyer left the hosted page without paying'),
})

/** How this endpoint says each refusal. */
export const words = defineWords<'unknown_checkout'>({
  unknown_checkout: [404, 'checkout_not_found'],
})

export const operations: ApiOperation[] = [
  {
    id: 'checkoutReturn',
    method: 'get',
    path: PATH,
    tag: 'Checkout',
    summary: 'Return from a hosted checkout',
    description:
      "The processor sends the buyer's browser here; you never call this yourself. The purchase is fetched from the " +
      'processor and stored before the browser is redirected to your page, so the user endpoint shows it by then. If the ' +
      'processor takes longer than 2.5 seconds, the browser is redirected anyway, and the purchase follows.',
    access: ['anybody'],
    params: Params,
    reply: { status: 303, description: 'Redirect to `successUrl`, or to `errorUrl` if nothing was bought' },
    words,
  },
]
