import type { Endpoint } from '../../lib/http/api-operation.ts'

export const DOCUMENT_PATH = '/openapi.json'
export const PAGE_PATH = '/docs'

/** Served by the gateway like every endpoint, but no part of the API that the document describes. */
export const pages: Endpoint[] = [
  { method: 'get', path: DOCUMENT_PATH, access: ['anybody'] },
  { method: 'get', path: PAGE_PATH, access: ['anybody'] },
]
