import type { Endpoint } from '../../lib/http/api-operation.ts'

/** The front of the service. The gateway leads here where a host is no paywall's domain. */
export const FRONT_PATH = '/'
export const DOCUMENT_PATH = '/openapi.json'
export const GUIDE_PATH = '/docs'
export const REFERENCE_PATH = '/docs/api'
export const SCRIPT_PATH = '/docs/api/redoc.js'

/** Served by the gateway like every endpoint, but no part of the API that the document describes. */
export const pages: Endpoint[] = [DOCUMENT_PATH, GUIDE_PATH, REFERENCE_PATH, SCRIPT_PATH].map((path) => ({
  method: 'get',
  path,
  access: ['anybody'],
}))
