import * as z from 'zod'
import openapi from '../../generated/openapi.json' with { type: 'json' }
import type { Names, Subject } from './operation.ts'
import { OPERATIONS } from './operations.ts'

const Scheme = z.union([
  z.strictObject({ OwnerKey: z.array(z.string()) }).transform(() => 'owner' as const),
  z.strictObject({ UserToken: z.array(z.string()) }).transform(() => 'user' as const),
  z.strictObject({}).transform(() => 'anybody' as const),
])
const Described = z.object({ operationId: z.string(), security: z.array(Scheme) })
const Document = z.object({ paths: z.record(z.string(), z.partialRecord(z.enum(['get', 'post']), Described)) })

/** What the API's document says about an operation. */
interface Contract {
  id: string
  method: 'GET' | 'POST'
  path: string
  /** Who may call: an owner with its key, a user with its token, anybody without either. */
  callers: ('owner' | 'user' | 'anybody')[]
}

const contracts: Contract[] = Object.entries(Document.parse(openapi).paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId: id, security: callers }]) => ({
    id,
    method: method === 'get' ? 'GET' : 'POST',
    path,
    callers,
  })),
)

/** The ids of all operations of the API. */
export const operationIds: string[] = contracts.map(({ id }) => id)

/** The contract of an entry's operation. */
export function getContract(name: string): Contract {
  const id = name.split(' ')[0]
  const found = contracts.find((contract) => contract.id === id)
  if (!found) throw new Error(`the API has no operation ${id}`)
  return found
}

/** A request without its credential. */
export interface OperationRequest {
  method: 'GET' | 'POST'
  path: string
  body?: Record<string, unknown>
}

/** A valid request of an entry. */
export function toRequest(name: string, subject: Subject): OperationRequest {
  const { names = {}, body, parameters } = OPERATIONS[name]!
  const { method, path } = getContract(name)
  const named = nameUser(names, subject.user)
  const filled = fillPath(path, { id: subject.paywallId, ...parameters?.(subject) })
  if (method === 'GET') {
    const query = new URLSearchParams(named).toString()
    return { method, path: query ? `${filled}?${query}` : filled }
  }
  const filledBody = { ...body?.(subject), ...named, ...subject.fields }
  return { method, path: filled, ...(Object.keys(filledBody).length > 0 && { body: filledBody }) }
}

/** The fields that name a user, with their values. */
function nameUser(fields: Names, { email, id, externalId }: Names = {}): Record<string, string> {
  const named: Record<string, string> = {}
  if (fields.email && email) named[fields.email] = email
  if (fields.id && id) named[fields.id] = id
  if (fields.externalId && externalId) named[fields.externalId] = externalId
  return named
}

function fillPath(path: string, values: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`no value stands for the parameter ${name} of ${path}`)
    return value
  })
}
