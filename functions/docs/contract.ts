import type { Endpoint } from '../../lib/http/api-operation.ts'

/** The gateway routes here if the host is not a paywall's domain. */
export const FRONT_PATH = '/'
export const DOCUMENT_PATH = '/openapi.json'
export const GUIDE_PATH = '/docs'
export const REFERENCE_PATH = '/docs/api'
export const SCRIPT_PATH = '/docs/api/redoc.js'

/** Routed by the gateway like every endpoint, but not part of the OpenAPI document. */
export const pages: Endpoint[] = [DOCUMENT_PATH, GUIDE_PATH, REFERENCE_PATH, SCRIPT_PATH].map((path) => ({
  method: 'get',
  path,
  access: ['anybody'],
}))
