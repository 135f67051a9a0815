import { type Document, type Operation, type Parameter, resolve } from '../view.ts'

const CREDENTIALS: Record<string, string> = {
  OwnerKey: 'X-Api-Key: $API_KEY',
  UserToken: 'Authorization: Bearer $ACCESS_TOKEN',
}

/** The curl command for an operation, sent to the host in `$API`. */
export function curlSample(method: string, path: string, operation: Operation, document: Document): string {
  const parameters = operation.parameters.map((each) => resolve<Parameter>(each, document.components.parameters))
  const [access = {}] = operation.security
  const credential = Object.keys(access).flatMap((scheme) => CREDENTIALS[scheme] ?? [])
  const json = operation.requestBody?.content['application/json']
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  const headers = [
    ...credential,
    ...(takesKey ? ['Idempotency-Key: $(uuidgen)'] : []),
    ...(json ? ['Content-Type: application/json'] : []),
  ]
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$API${addressOf(path, parameters)}"`,
    ...headers.map((header) => `-H ${header.includes('$') ? `"${header}"` : `'${header}'`}`),
    ...(json?.example === undefined ? [] : [`-d '${JSON.stringify(json.example, null, 2).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ')
}

function addressOf(path: string, parameters: Parameter[]): string {
  const shown = (place: string) => parameters.filter((each) => each.in === place && each.example !== undefined)
  const filled = shown('path').reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const query = new URLSearchParams(
    Object.fromEntries(shown('query').map(({ name, example }) => [name, String(example)])),
  )
  return query.size > 0 ? `${filled}?${query}` : filled
}
