import * as z from 'zod'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { parseQuery, readText } from '../../lib/http/parse.ts'
import type { ConsoleContext } from './session.ts'

/** The largest form of the console, in bytes. */
const FORM_LIMIT = 64 * 1024

/** The longest reason of an act, in characters: as in the table audit_log. */
export const MAX_REASON = 500

/** The longest reply to a ticket, in characters: as in the table ticket_replies. */
export const MAX_REPLY = 5_000

const errors = defineErrors({
  invalid_text: [400, 'invalid_text', 'Text must not contain NUL'],
  reason_required: [400, 'reason_required', 'Write down why'],
  reason_too_long: [400, 'reason_too_long', `The reason is longer than ${MAX_REASON} characters`],
  invalid_key: [400, 'invalid_key', 'The form is incomplete. Load the page again'],
  invalid_time: [400, 'invalid_time', 'A time is a date and an hour, such as 2026-11-03T14:05'],
})

/** Reads a form: its fields by their names. @throws ApiError 413, 400 */
export async function readForm(c: ConsoleContext): Promise<Record<string, string>> {
  const text = await readText(c.req.raw, FORM_LIMIT)
  const fields = [...new URLSearchParams(text)].map(([name, value]) => [name, value.replaceAll('\r\n', '\n')] as const)
  if (fields.some(([, value]) => value.includes('\0'))) throw apiError(errors.invalid_text)
  return Object.fromEntries(fields)
}

/** Reads the query: its fields by their names, without the empty ones of a filter. @throws ApiError 400 */
export async function readQuery(c: ConsoleContext): Promise<Record<string, string>> {
  const fields = await parseQuery(c.req, z.record(z.string(), z.string()))
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''))
}

/** Why an act was done, as its form has it. @throws ApiError 400 if it is missing or too long */
export function readReason({ reason = '' }: Record<string, string>): string {
  const text = reason.trim()
  if (text === '') throw apiError(errors.reason_required)
  if (text.length > MAX_REASON) throw apiError(errors.reason_too_long)
  return text
}

/** The key of a form that counts once, however often it is sent: a random UUID. @throws ApiError 400 */
export function readKey({ key }: Record<string, string>): string {
  const { data } = z.uuid().safeParse(key)
  if (data === undefined) throw apiError(errors.invalid_key)
  return data
}

/** A time in UTC, as a `datetime-local` field has it; null if it is empty. @throws ApiError 400 */
export function readTime(text = ''): string | null {
  if (text === '') return null
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)
  const time = new Date(`${text}Z`)
  if (!isTime || Number.isNaN(time.getTime())) throw apiError(errors.invalid_time)
  return time.toISOString()
}
