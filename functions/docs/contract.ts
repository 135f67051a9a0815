import type { Endpoint } from '../../lib/http/api-operation.ts'

/** The gateway routes here if the host is not a paywall's domain. */
export const FRONT_PATH = '/'
export const DOCUMENT_PATH = '/openapi.json'
export const GUIDE_PATH = '/docs'
/** The guide as Markdown. */
export const GUIDE_MARKDOWN_PATH = '/docs.md'
/** What a language model reads first (llmstxt.org). */
export const LLMS_PATH = '/llms.txt'
export const REFERENCE_PATH = '/docs/api'
export const SCRIPT_PATH = '/docs/api/redoc.js'

export const PATHS = [DOCUMENT_PATH, GUIDE_PATH, GUIDE_MARKDOWN_PATH, LLMS_PATH, REFERENCE_PATH, SCRIPT_PATH]

/** Routed by the gateway like every endpoint, but not part of the OpenAPI document. */
export const pages: Endpoint[] = PATHS.map((path) => ({
  method: 'get',
  path,
  access: ['anybody'],
}))
