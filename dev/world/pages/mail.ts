import * as z from 'zod'

/** A message from a Worker: the fields of Cloudflare's message builder that our Workers use. */
export const Message = z.strictObject({
  from: z.strictObject({ name: oneLine(), email: z.email() }),
  to: z.email(),
  replyTo: z.email().optional(),
  subject: oneLine(),
  text: z.string(),
})

/** A mail that arrived. */
export const Mail = Message.extend({ id: z.string(), at: z.coerce.date() })
export type Mail = z.output<typeof Mail>

/** Cloudflare rejects line breaks in headers, which would allow header injection. */
function oneLine() {
  return z.string().regex(/^[^\r\n]*$/, 'must be one line')
}
