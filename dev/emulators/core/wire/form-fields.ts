import * as z from 'zod'

/* Fields of forms, whose values are all strings. The `kind` of an issue identifies what is wrong. */

export type FieldKind = 'empty' | 'integer' | 'boolean' | 'email' | 'url'

const scalar = (kind: FieldKind, accepts: (value: string) => boolean) =>
  z.string().superRefine((value, context) => {
    if (!accepts(value)) context.addIssue({ code: 'custom', message: `Invalid ${kind}`, params: { kind, value } })
  })

/** The field kind and the refused value of an issue; null for issues of other kinds. */
export function refusedField(issue: z.core.$ZodIssue): { kind: FieldKind; value: string } | null {
  const refused = Refused.safeParse(issue.code === 'custom' ? issue.params : null)
  return refused.success ? refused.data : null
}

const Refused = z.object({ kind: z.enum(['empty', 'integer', 'boolean', 'email', 'url']), value: z.string() })

export const text = (maximum = 5000) =>
  scalar('empty', (value) => value !== '').max(maximum, `must be at most ${maximum} characters`)

export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  scalar('integer', (value) => /^-?\d{1,16}$/.test(value))
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`))

/** A field that an empty value unsets: it is then null. */
export const emptyable = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (value === '' ? null : value), field.nullable())

export const boolean = scalar('boolean', (value) => value === 'true' || value === 'false').transform(
  (value) => value === 'true',
)

export const email = scalar('email', (value) => z.email().safeParse(value).success)

/** An address whose domain the processor accepts. */
export const emailField = (accepts: (address: string) => boolean) =>
  scalar('email', (value) => z.email().safeParse(value).success && accepts(value))

export const webAddress = scalar('url', (value) => /^https?:\/\//.test(value) && URL.canParse(value))
