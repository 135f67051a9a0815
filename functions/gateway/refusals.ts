import type { ErrorPageContent } from '../../lib/http/error-page.ts'
import type { sharedErrors } from '../../lib/http/shared-errors.ts'

/** Why the gateway itself refuses a request. */
export type Refusal = keyof typeof sharedErrors & ('not_found' | 'rate_limited' | 'failed')

/** The error page of each. */
export const MESSAGES: Readonly<Record<Refusal, ErrorPageContent>> = {
  not_found: {
    title: 'Page not found',
    text: 'Check the address or go back. Nothing was submitted.',
  },
  rate_limited: {
    title: 'Too many requests',
    text: 'Nothing was submitted and nothing was charged. Wait ten seconds, go back and try again.',
  },
  failed: {
    title: 'Something went wrong on our end',
    text: 'Your request may not have been processed. Go back, reload the page to check, and try again.',
  },
}
