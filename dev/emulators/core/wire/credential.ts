import { type HttpRequest, header } from '../server.ts'

/** The user and password of Basic authentication; null if the call does not use it. */
export function readBasicAuth(request: HttpRequest): { user: string; password: string } | null {
  const encoded = readCredential(request, 'Basic')
  const [user = '', password = ''] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':')
  return encoded === null ? null : { user, password }
}

/** The credential of an authentication scheme, such as `Bearer`; null if the call does not use it. */
export function readCredential(request: HttpRequest, scheme: string): string | null {
  const [given, value] = (header(request, 'authorization') ?? '').split(' ')
  return given === scheme && value ? value : null
}

/** Finds the account whose id is derived from the call's Bearer token. */
export const byToken =
  (toId: (token: string) => string, refuse: () => Error) =>
  <Account>(request: HttpRequest, accounts: ReadonlyMap<string, Account>): Account => {
    const account = accounts.get(toId(readCredential(request, 'Bearer') ?? ''))
    if (!account) throw refuse()
    return account
  }
