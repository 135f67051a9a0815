import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import * as z from 'zod'
import { pages as docs } from '../../functions/docs/contract.ts'
import { pages as sitePages } from '../../functions/pages/contract.ts'
import json from '../../generated/openapi.json' with { type: 'json' }
import { closed } from './closed-schemas.ts'
import {
  Document,
  type DocumentedResponse,
  type Header,
  isReference,
  type Operation,
  type Parameter,
  resolve,
} from './document.ts'

/** Served, but not part of the API. */
const PAGES = [...docs, ...sitePages].map(({ path }) => pathPattern(path))

/** The console's pages have an origin of their own, and are not part of the API either. */
const CONSOLE_HOST = 'console.localhost'

/** Matches a path in Hono's syntax. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
}

/** What no path of the document contains and the gateway refuses: an escape, an empty segment, a backslash. */
const NOT_CANONICAL = /%|\/\/|\\/

/** Where buyers' browsers return after a checkout. */
const RETURN_PATHS = /^\/(r|return)\//

const ROOT = 'openapi.json'
const document = Document.parse(json)
const { components } = document

const validator = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
formats.default(validator)
validator.addSchema(closed(json), ROOT)

const paths = Object.entries(document.paths).map(([path, methods]) => ({
  path,
  methods,
  pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

/** The parts of a response that the document specifies. */
export interface SentResponse {
  method: string
  url: string
  status: number
  headers: { get(name: string): string | null }
  /** The text of the body. */
  text: string
}

/**
 * How a response differs from the API's document: an undocumented status, header or body. Null if it
 * matches. Fields that the document does not name are errors here, although clients must accept them.
 */
export function undocumented({ method, url, status, headers, text }: SentResponse): string | null {
  const { pathname, hostname } = new URL(url, 'http://localhost')
  if (hostname === CONSOLE_HOST) return null
  if (method === 'OPTIONS' || PAGES.some((page) => page.test(pathname))) return null
  const known = NOT_CANONICAL.test(pathname) ? null : knownPath(pathname)
  const found = known && described(known, method, status)
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
  if (isPage && (known ? status >= 400 && RETURN_PATHS.test(pathname) : status === 404)) return null // an HTML page for people
  if (!found && !known?.isNamed && status === 404) return method === 'HEAD' ? null : bodyFault(text, NOT_FOUND)
  if (!found) return `${method} ${pathname} has no documented ${status}`
  return headerFault(found.answer, headers) ?? (method === 'HEAD' ? null : contentFault(found, headers, text))
}

/** How an event differs from the document; null if it matches. Without `headers` it was not delivered, and only its body is checked. */
export function undocumentedEvent({
  headers,
  body,
}: {
  headers?: Record<string, string>
  body: string
}): string | null {
  const type = z.object({ type: z.string() }).safeParse(parsed(body)).data?.type ?? ''
  const event = document.webhooks[type]?.post
  const schema = event?.requestBody?.content['application/json']?.schema.$ref
  if (!event || !schema) return `there is no such event: ${body.slice(0, 200)}`
  const parameters = event.parameters.map((each) => resolve<Parameter>(each, components.parameters))
  const missing = parameters.filter(({ name }) => headers && headers[name] === undefined)
  if (missing.length > 0) return `an event comes without ${missing.map(({ name }) => name).join(', ')}`
  return bodyFault(body, `${ROOT}${schema}`)
}

interface KnownPath {
  path: string
  methods: { get?: Operation | undefined; post?: Operation | undefined }
  /** Whether its parameters are among the values that the document lists. */
  isNamed: boolean
}

function knownPath(pathname: string): KnownPath | null {
  for (const { path, methods, pattern } of paths) {
    const match = pattern.exec(pathname)
    if (!match) continue
    const parameters = Object.values(methods).flatMap((operation) => operation?.parameters ?? [])
    const isNamed = parameters
      .map((each) => resolve<Parameter>(each, components.parameters))
      .every(
        ({ in: place, name, schema }) => place !== 'path' || !schema.enum || schema.enum.includes(match.groups?.[name]),
      )
    return { path, methods, isNamed }
  }
  return null
}

interface Described {
  answer: DocumentedResponse
  /** Where in the document, as a URI fragment. */
  pointer: string
}

/** How the document describes a response; null if it does not. A wrong method is described at the path's correct one. */
function described({ path, methods }: KnownPath, method: string, status: number): Described | null {
  const operation = method === 'POST' ? 'post' : method === 'GET' || method === 'HEAD' ? 'get' : null
  const name = operation && methods[operation] ? operation : methods.get ? 'get' : 'post'
  const answer = name === operation || status === 405 ? methods[name]?.responses[status] : null
  if (!answer) return null
  if (isReference(answer))
    return { answer: resolve<DocumentedResponse>(answer, components.responses), pointer: answer.$ref }
  return { answer, pointer: encodeURI(`#/paths/${path.replaceAll('/', '~1')}/${name}/responses/${status}`) }
}

function headerFault(answer: DocumentedResponse, headers: SentResponse['headers']): string | null {
  for (const [name, each] of Object.entries(answer.headers)) {
    const { required, schema } = resolve<Header>(each, components.headers)
    const value = headers.get(name)
    if (value === null && required) return `there is no ${name}`
    if (value !== null && !validator.validate(schema, value)) return `${name}: ${value} ${validator.errorsText()}`
  }
  return null
}

function contentFault({ answer, pointer }: Described, headers: SentResponse['headers'], text: string): string | null {
  if (!answer.content) return text === '' ? null : `a body where none is documented: ${text.slice(0, 200)}`
  if (answer.content['text/html']) return headers.get('content-type')?.startsWith('text/html') ? null : 'it is no page'
  if (!headers.get('content-type')?.startsWith('application/json')) return 'it is not JSON'
  return bodyFault(text, `${ROOT}${pointer}/content/application~1json/schema`)
}

/** The response at a path that does not exist. */
const NOT_FOUND = 'not-found'
validator.addSchema({ type: 'object', properties: { error: { const: 'not_found' } }, required: ['error'] }, NOT_FOUND)

function bodyFault(text: string, schema: string): string | null {
  const validate = validator.getSchema(schema)
  if (!validate) throw new Error(`the document has no ${schema}`)
  if (validate(parsed(text))) return null
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  )
  return [...faults, text.slice(0, 1000)].join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
