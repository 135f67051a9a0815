import * as z from 'zod'

/**
 * The address of a receipt in a processor's reply, which buyers are redirected to: https only. `base` overrides the processor's origin, as
 * with an emulator's: then addresses of that origin are accepted, too.
 */
export const receiptUrl = (base: string | null) =>
  z
    .url()
    .max(8192)
    .refine((address) => isTrusted(new URL(address), base), 'not an https address')

const isTrusted = ({ protocol, origin }: URL, base: string | null) =>
  protocol === 'https:' || (protocol === 'http:' && base !== null && origin === new URL(base).origin)
