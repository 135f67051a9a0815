import { ApiError } from '../../lib/http/errors.ts'
import { readText } from '../../lib/http/parse.ts'
import type { ConsoleContext } from './session.ts'

/** The largest form of the console, in bytes. */
const FORM_LIMIT = 16 * 1024

/** The longest reason of an act, in characters: as in the table audit_log. */
export const MAX_REASON = 500

/** Reads a form: its fields by their names. @throws ApiError 413, 400 */
export async function readForm(c: ConsoleContext): Promise<Record<string, string>> {
  const fields = Object.fromEntries(new URLSearchParams(await readText(c.req.raw, FORM_LIMIT)))
  for (const [name, value] of Object.entries(fields)) fields[name] = value.replaceAll('\r\n', '\n').replaceAll('\0', '')
  return fields
}

/** Why an act was done, as its form says. @throws ApiError 400 if it is missing or too long */
export function readReason({ reason = '' }: Record<string, string>): string {
  const text = reason.trim()
  if (text === '') throw new ApiError([400, 'reason_required', 'reason_required', 'Write down why'])
  if (text.length > MAX_REASON)
    throw new ApiError([400, 'reason_too_long', 'reason_too_long', 'The reason is too long'])
  return text
}
