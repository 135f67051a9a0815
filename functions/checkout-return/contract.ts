import * as z from 'zod'
import { signatureErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'

export const PATH = '/r/:checkoutId/:outcome{success|error}'

export const Params = z.object({
  checkoutId: z.uuid().describe('The id of the checkout, which also replaces `__SESSION__` in your URLs'),
  outcome: z.enum(['success', 'error']).describe('`error` if the buyer left the hosted page without paying'),
})

/** The error for each refusal. */
export const errors = defineErrors<'unknown_checkout'>({
  unknown_checkout: [404, 'checkout_not_found', 'There is no such checkout'],
})

/** For processors that redirect every buyer to one signed URL, which the owner enters there. */
export const SIGNED_PATH = '/return/:acquiring/:id'

export const SignedParams = z.object({
  acquiring: z.enum(PROCESSOR_NAMES).describe('The processor that redirects the browser'),
})

export const signedErrors = { ...defineErrors(signatureErrors), ...errors }

export const operations: ApiOperation[] = [
  {
    id: 'checkoutReturn',
    method: 'get',
    path: PATH,
    tag: 'Checkout',
    summary: 'Return from a hosted checkout',
    description:
      "The processor redirects the buyer's browser here; never call this yourself. The purchase is fetched from " +
      'the processor and stored before the browser is redirected to your page, so the user endpoint already shows ' +
      'it. If the processor takes longer than 2.5 seconds, the browser is redirected anyway, and the purchase ' +
      'follows. A browser that accepts `text/html` gets errors as a page.',
    access: ['anybody'],
    params: Params,
    reply: { status: 303, description: 'Redirect to `successUrl`, or to `errorUrl` if nothing was bought' },
    page:
      'A page that names the target host and asks the buyer to confirm, if a user chose a target that the paywall ' +
      'does not list',
    errors,
  },
  {
    id: 'signedReturn',
    method: 'get',
    path: SIGNED_PATH,
    tag: 'Checkout',
    summary: 'Return from a processor with one return URL per account',
    description:
      'Enter this URL in the dashboard of a processor that supports only one return URL: docs/processors.md lists ' +
      'those. The processor signs the URL with what was bought. The purchase is stored, and the browser is ' +
      "redirected to its checkout's return URL. If the processor takes longer than 2.5 seconds, the browser is " +
      'redirected anyway, and the purchase follows. If several paywalls of an owner sell through one account, the ' +
      'URL of one serves all. A browser that accepts `text/html` gets errors as a page.',
    access: ['anybody'],
    params: SignedParams,
    reply: { status: 303, description: "Redirect to the checkout's return URL" },
    errors: signedErrors,
    needs: ['processor'],
  },
]
