// Limits of user input, which the API enforces and the pages state. Lengths are in characters.

/** Maximum length of an e-mail address (RFC 5321). */
export const EMAIL_LENGTH = 254

/** Maximum length of the id or the code of an offer. */
export const OFFER_LENGTH = 100

/**
 * The largest number of units that a checkout or a change of plan can ask for, such as seats. A subscription may have more, if the owner
 * sets that at the processor.
 */
export const MAX_QUANTITY = 10_000

/** Maximum length of a locale, such as `de-AT` (RFC 5646, section 4.4.1). */
export const LOCALE_LENGTH = 35

/** Minimum and maximum length. */
export type Bounds = readonly [min: number, max: number]

export const TICKET_SUBJECT_LENGTH: Bounds = [3, 200]
export const TICKET_CONTENT_LENGTH: Bounds = [1, 5000]

/** Maximum number of images per ticket. */
export const TICKET_FILES_LIMIT = 5
/** Maximum size of an image. */
export const TICKET_FILE_MEGABYTES = 10

/** Maximum length of the reason for a cancellation. */
export const CANCELLATION_REASON_LENGTH = 1000
