import { readText } from '../../lib/http/parse.ts'
import type { PagesContext } from './ask.ts'

/** The largest form without files that a page sends, in bytes. */
const FORM_LIMIT = 64 * 1024

/** The fields of a form, each by its name, or an empty text where it has none. @throws ApiError 413, 400 */
export async function readForm(c: PagesContext): Promise<(name: string) => string> {
  const fields = new URLSearchParams(await readText(c.req.raw, FORM_LIMIT))
  return (name) => fields.get(name) ?? ''
}
