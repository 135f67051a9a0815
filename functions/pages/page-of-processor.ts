import * as z from 'zod'

/** A URL from a processor to which visitors are redirected: http or https only, because browsers would execute a `javascript:` URL. */
export const PageOfProcessor = z.url({ protocol: /^https?$/ })
