import { type HttpRequest, header } from '../server.ts'

/** The user and the password that a call is authorized by in Basic authentication; null if it is not. */
export function readBasicAuth(request: HttpRequest): { user: string; password: string } | null {
  const encoded = readCredential(request, 'Basic')
  const [user = '', password = ''] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':')
  return encoded === null ? null : { user, password }
}

/** What a call is authorized by in a scheme, such as `Bearer`; null if it is not. */
export function readCredential(request: HttpRequest, scheme: string): string | null {
  const [given, value] = (header(request, 'authorization') ?? '').split(' ')
  return given === scheme && value ? value : null
}

/** Finds the account whose id is made of the Bearer token of a call. */
export const byToken =
  (idOf: (token: string) => string, refuse: () => Error) =>
  <Account>(request: HttpRequest, accounts: ReadonlyMap<string, Account>): Account => {
    const account = accounts.get(idOf(readCredential(request, 'Bearer') ?? ''))
    if (!account) throw refuse()
    return account
  }
