import type { ErrorPageContent } from '../../lib/http/error-page.ts'
import type { sharedErrors } from '../../lib/http/shared-errors.ts'

/** Why the gateway itself refuses a request. */
export type Refusal = keyof typeof sharedErrors & ('not_found' | 'rate_limited' | 'failed')

/** What a person is told of each. */
export const MESSAGES: Readonly<Record<Refusal, ErrorPageContent>> = {
  not_found: {
    title: 'There is no such page',
    text: 'Check the address, or go back to where you came from. Nothing was sent.',
  },
  rate_limited: {
    title: 'That was too often',
    text: 'Nothing was sent, and nothing was charged. Wait ten seconds, go back and try again.',
  },
  failed: {
    title: 'Something went wrong on our side',
    text: 'What you sent may not have arrived. Go back, reload the page to see what it says now, and try again.',
  },
}
