import { type ApiOperation, isClientOperation } from '../../../../lib/http/api-operation.ts'
import type { Json } from '../schemas.ts'
import { curlSample } from './curl.ts'
import { browserSample, serverSample } from './sdk.ts'

/** How to make the call, as `x-codeSamples` of the document; none for what processors call, and browsers that they send. */
export function codeSamples(operation: ApiOperation): Json[] {
  if (!isClientOperation(operation)) return []
  const samples = [
    { lang: 'TypeScript', label: 'SDK, server', source: serverSample(operation) },
    { lang: 'TypeScript', label: 'SDK, browser', source: browserSample(operation) },
    { lang: 'Shell', label: 'curl', source: curlSample(operation) },
  ]
  return samples.filter(({ source }) => source !== null)
}
