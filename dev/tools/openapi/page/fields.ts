import { escapeHtml } from '../../../world/pages/escape-html.ts'
import { nameIn, type Schema } from '../view.ts'
import { inline } from './prose.ts'

/** A table of a schema's fields. The fields of an object follow it; a schema with a name of its own is a link. */
export function fieldsTable(schema: Schema, schemas: Record<string, Schema>): string {
  const own = schema.$ref ? (schemas[nameIn(schema.$ref)] ?? {}) : schema
  const choices = own.anyOf ?? own.oneOf
  if (choices) return choices.map((choice) => choiceTable(choice, schemas)).join('\n<p>or</p>\n')
  return table(rowsOf(own, ''))
}

function choiceTable(choice: Schema, schemas: Record<string, Schema>): string {
  const about = choice.$ref ? schemas[nameIn(choice.$ref)]?.description : choice.description
  return `${about ? `<p>${inline(about)}</p>` : ''}${fieldsTable(choice, schemas)}`
}

/** A table with a row for each field: its name, its type and its meaning. */
export const table = (rows: string[][]) =>
  rows.length === 0
    ? ''
    : `<table><tr><th scope="col">Name<th scope="col">Type<th scope="col">Meaning${rows.map(([name, type, about]) => `<tr><td>${name}<td>${type}<td>${about}`).join('\n')}</table>`

function rowsOf(schema: Schema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const required = schema.required?.includes(name) ? '' : ' <small>optional</small>'
    const inner = field.items ?? field
    const below = inner.$ref ? [] : rowsOf(inner, field.items ? `${path}[].` : `${path}.`)
    return [[`<code>${escapeHtml(path)}</code>${required}`, typeOf(field), inline(field.description ?? '')], ...below]
  })
}

/** A schema's type in words, with its bounds. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return `<a href="#${nameIn(schema.$ref)}">${nameIn(schema.$ref)}</a>`
  if (schema.items) return `array of ${typeOf(schema.items)}`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(typeOf).join(' or ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return schema.enum.map(code).join(' ')
  const types = [schema.type ?? 'anything'].flat().join(' or ')
  return [schema.format ? `${types}, ${schema.format}` : types, bounds(schema)].filter(Boolean).join(', ')
}

const code = (value: unknown) => `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`

function bounds({ format, minimum, maximum, minLength, maxLength }: Schema): string {
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
    if (most !== undefined) return `at most ${most}${unit}`
    return least === undefined ? '' : `at least ${least}${unit}`
  }
  return [range(minimum, maximum, ''), range(minLength, maxLength, format === 'binary' ? ' bytes' : ' characters')]
    .filter(Boolean)
    .join(', ')
}
