import * as z from 'zod'

/** Where a processor has a page that visitors are led to. It says so itself, and browsers run some addresses instead of going there. */
export const PageOfProcessor = z.url({ protocol: /^https?$/ })
