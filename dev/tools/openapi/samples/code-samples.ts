import { type ApiOperation, isClientOperation } from '../../../../lib/http/api-operation.ts'
import type { Json } from '../schemas.ts'
import { curlSample } from './curl.ts'
import { browserSample, serverSample } from './sdk.ts'

/** The document's `x-codeSamples` for an operation; none for operations that processors, or browsers coming from them, call. */
export function codeSamples(operation: ApiOperation): Json[] {
  if (!isClientOperation(operation)) return []
  const samples = [
    { lang: 'TypeScript', label: 'SDK, server', source: serverSample(operation) },
    { lang: 'TypeScript', label: 'SDK, browser', source: browserSample(operation) },
    { lang: 'Shell', label: 'curl', source: curlSample(operation) },
  ]
  return samples.filter(({ source }) => source !== null)
}
