import { type HttpRequest, header } from '../server.ts'

/** What a call is authorized by in a scheme, such as `Bearer`; null if it is not. */
export function credentialOf(request: HttpRequest, scheme: string): string | null {
  const [given, value] = (header(request, 'authorization') ?? '').split(' ')
  return given === scheme && value ? value : null
}
