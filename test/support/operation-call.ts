import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import type { Subject } from '../operations/operation.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { getContract, toRequest } from '../operations/request.ts'
import { type Call, call, type Reply } from './call.ts'
import { getPriceId } from './checkout.ts'
import type { TestWorld } from './world.ts'

/** A request of an entry of the table of operations. `origin` is the service's own by default. */
export function callOperation(
  world: TestWorld,
  name: string,
  subject: Subject,
  { origin = '', ...options }: Call & { origin?: string } = {},
): Promise<Reply> {
  const { path, ...request } = toRequest(name, subject)
  return call(world, origin + path, { ...request, ...options })
}

/** A paywall as what a request is about, with its monthly price. */
export const onPaywall = (paywall: FilePaywall): Subject => ({
  paywallId: paywall.id,
  priceId: getPriceId(paywall, 'monthly'),
})

/** A reply as the table of operations has it: the status and, if it is a refusal, the error. */
export function shown({ status, body }: Reply): string {
  const error = typeof body === 'object' && body && 'error' in body ? ` ${body.error}` : ''
  return `${status}${error}`
}

/** Whether an entry's operation reads an owner key. */
export const takesOwnerKey = (name: string): boolean => getContract(name).callers.includes('owner')

/** Whether an entry's operation refuses a bad token. */
export const takesUserToken = (name: string): boolean =>
  getContract(name).callers.includes('user') && OPERATIONS[name]!.replies.badToken === '401 invalid_token'
