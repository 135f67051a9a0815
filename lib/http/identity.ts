import * as z from 'zod'

/** An e-mail address as identities are compared: trimmed and lower-case. */
export const email = z.string().trim().toLowerCase()

/** An e-mail address with which a new user may be created. */
export const newEmail = email.pipe(z.email('Invalid email format').max(254, 'Invalid email format'))
