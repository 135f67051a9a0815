import * as z from 'zod'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineWords } from '../../lib/http/errors.ts'

export const PATH = '/r/:checkoutId/:outcome{success|error}'

export const Params = z.object({
  checkoutId: z.uuid().describe('What `__SESSION__` is replaced by'),
  outcome: z.enum(['success', 'error']).describe('What the processor says'),
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
    summary: 'Come back from a hosted checkout',
    description:
      "Where the processor sends the buyer's browser. The purchase is stored before the browser goes on, so that the " +
      'user endpoint shows it by then; if the processor takes longer than 3 seconds to say what became of it, the ' +
      'browser goes on anyway.',
    access: ['anybody'],
    params: Params,
    reply: { status: 303, description: 'On to `successUrl`, or to `errorUrl` if nothing was bought' },
    words,
  },
]
