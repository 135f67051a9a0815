import * as z from 'zod'

/** What a Worker may send: the part of Cloudflare's message builder that ours use. */
export const Message = z.strictObject({
  from: z.strictObject({ name: oneLine(), email: z.email() }),
  to: z.email(),
  subject: oneLine(),
  text: z.string(),
})

/** A mail that arrived. */
export const Mail = Message.extend({ id: z.string(), at: z.coerce.date() })
export type Mail = z.output<typeof Mail>

/** Cloudflare refuses a header with a line break, which could add another header. */
function oneLine() {
  return z.string().regex(/^[^\r\n]*$/, 'must be one line')
}
