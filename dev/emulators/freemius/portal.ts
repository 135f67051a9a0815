import * as z from 'zod'
import { type AccountContext, all, find } from '../core/domain/context.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { missingArgument, noSuch } from './errors.ts'
import { hasAddress } from './objects/user.ts'

/** A link to the customer portal works for five minutes. */
export const PORTAL_SECONDS = 5 * 60

export const PortalLogin = z.object({ id: z.coerce.string().optional(), email: z.string().optional() })

/** Opens the portal for a user, by id or by address. It has no way back to the seller. */
export function logIn(context: AccountContext, { id, email }: z.output<typeof PortalLogin>) {
  if (id === undefined && email === undefined) throw missingArgument('id')
  const user =
    id === undefined
      ? all(context, 'customers').find((user) => hasAddress(user, email))
      : find(context, 'customers', id)
  if (!user) throw noSuch('customers', email ?? '')
  const { id: token } = openPortal(context, { customer: user.id, returnUrl: null })
  return { token, link: `${context.url}/portal/${token}` }
}
