import * as z from 'zod'

/** The fields of a schema that the tests read. */
export interface Schema {
  $ref?: string | undefined
  type?: string | string[] | undefined
  const?: unknown
  enum?: unknown[] | undefined
  format?: string | undefined
  description?: string | undefined
  properties?: Record<string, Schema> | undefined
  required?: string[] | undefined
  items?: Schema | undefined
  anyOf?: Schema[] | undefined
  oneOf?: Schema[] | undefined
  allOf?: Schema[] | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  minLength?: number | undefined
  maxLength?: number | undefined
}

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    format: z.string().optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    items: Schema.optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    allOf: z.array(Schema).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
  }),
)

const Content = z.record(z.string(), z.object({ schema: Schema, example: z.unknown().optional() }))

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  description: z.string().default(''),
  schema: Schema,
  example: z.unknown().optional(),
})
export type Parameter = z.output<typeof Parameter>

const Reference = z.object({ $ref: z.string() })

const Header = z.object({ required: z.boolean().default(false), schema: Schema })
export type Header = z.output<typeof Header>

const DocumentedResponse = z.object({
  description: z.string(),
  headers: z.record(z.string(), z.union([Reference, Header])).default({}),
  content: Content.optional(),
})
export type DocumentedResponse = z.output<typeof DocumentedResponse>

const Operation = z.object({
  parameters: z.array(z.union([Reference, Parameter])),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.union([Reference, DocumentedResponse])),
})
export type Operation = z.output<typeof Operation>

const Methods = z.partialRecord(z.enum(['get', 'post']), Operation)

/** The fields of the document that the tests read. */
export const Document = z.object({
  paths: z.record(z.string(), Methods),
  webhooks: z.record(z.string(), Methods),
  components: z.object({
    schemas: z.record(z.string(), Schema),
    parameters: z.record(z.string(), Parameter),
    headers: z.record(z.string(), Header),
    responses: z.record(z.string(), DocumentedResponse),
  }),
})
export type Document = z.output<typeof Document>

/** Resolves a reference in the document; returns a part that is not a reference unchanged. */
export function resolve<Part extends object>(part: Part | { $ref: string }, among: Record<string, Part>): Part {
  if (!isReference(part)) return part
  const found = among[nameIn(part.$ref)]
  if (!found) throw new Error(`the document has no ${part.$ref}`)
  return found
}

export const isReference = (part: object): part is { $ref: string } => '$ref' in part

/** The last segment of a reference: the name of what it refers to. */
const nameIn = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)
