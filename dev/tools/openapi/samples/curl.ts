import type { Access, ApiOperation } from '../../../../lib/http/api-operation.ts'
import { EXAMPLE_PAYWALL } from '../parameters.ts'

const CREDENTIALS: Record<Access, string[]> = {
  owner: ['X-Api-Key: $API_KEY'],
  user: ['Authorization: Bearer $ACCESS_TOKEN'],
  anybody: [],
}

/** The curl command for an operation, with the credential of the first caller who may call it. `$API` is the host. */
export function curlSample(operation: ApiOperation): string {
  const { method, access, idempotent, bodies, example } = operation
  const headers = [
    ...(access[0] ? CREDENTIALS[access[0]] : []),
    ...(idempotent ? ['Idempotency-Key: $(uuidgen)'] : []),
    ...(bodies ? ['Content-Type: application/json'] : []),
  ]
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$API${toAddress(operation)}"`,
    ...headers.map((header) => `-H ${header.includes('$') ? `"${header}"` : `'${header}'`}`),
    ...(bodies ? [`-d '${JSON.stringify(example, null, 2).replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ')
}

/** The path with the example paywall, the example parameters and the example query. */
function toAddress({ path, exampleParams = {}, query, example }: ApiOperation): string {
  const values: Record<string, string> = { id: EXAMPLE_PAYWALL, ...exampleParams }
  const filled = path.replace(/:(\w+)/g, (parameter, name: string) => values[name] ?? parameter)
  if (!query || !example) return filled
  return `${filled}?${new URLSearchParams(Object.entries(example).map(([name, value]): [string, string] => [name, String(value)]))}`
}
