import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import type { Subject } from '../operations/operation.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { getContract, toRequest } from '../operations/request.ts'
import { type Call, call, type Reply } from './call.ts'
import { getPriceId } from './checkout.ts'
import { getWebhookSecret, signAsStripe } from './stripe-purchase.ts'
import type { TestWorld } from './world.ts'

export interface OperationCall extends Call {
  /** The service's own by default. */
  origin?: string
  /** The paywall whose secret signs a webhook. Without it, a webhook is not signed. */
  signedFor?: FilePaywall
}

/** Makes the request of an entry in the table of operations. */
export function callOperation(
  world: TestWorld,
  name: string,
  subject: Subject,
  { origin = '', signedFor, headers, ...credential }: OperationCall = {},
): Promise<Reply> {
  const { path, ...request } = toRequest(name, subject)
  const isSigned = signedFor && OPERATIONS[name]!.countedBy === 'signature'
  const signature = isSigned && signAsStripe(JSON.stringify(request.body), getWebhookSecret(signedFor))
  const allHeaders = { ...headers, ...(signature && { 'stripe-signature': signature }) }
  return call(world, origin + path, { ...request, ...credential, headers: allHeaders })
}

/** The subject of a request about a paywall, with its monthly price. */
export const onPaywall = (paywall: FilePaywall): Subject => ({
  paywallId: paywall.id,
  priceId: getPriceId(paywall, 'monthly'),
})

/** A reply in the format of the table of operations: the status and, if it is a refusal, the error. */
export function shown({ status, body }: Reply): string {
  const error = typeof body === 'object' && body && 'error' in body ? ` ${body.error}` : ''
  return `${status}${error}`
}

/** Whether an entry's operation reads an owner key. */
export const takesOwnerKey = (name: string): boolean => getContract(name).callers.includes('owner')

/** Whether an entry's operation refuses a bad token. */
export const takesUserToken = (name: string): boolean =>
  getContract(name).callers.includes('user') && OPERATIONS[name]!.replies.badToken === '401 invalid_token'

/** An entry, and one kind of caller that its operation is for. */
export interface AllowedCall {
  name: string
  caller: 'owner' | 'user' | 'anybody'
}

/** Each entry with each kind of caller that its operation is for, for `test.each`. */
export const ALLOWED_CALLS: AllowedCall[] = Object.keys(OPERATIONS).flatMap((name) =>
  getContract(name).callers.map((caller) => ({ name, caller })),
)
