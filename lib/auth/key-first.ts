import { isLiveKey } from '../../generated/calls.ts'
import { connect } from '../db/connect.ts'
import type { Caller } from '../db/gate.ts'
import { ApiError, refuse, type Words } from '../http/errors.ts'

/**
 * What to do about a fault of a request, for a `catch`: it is passed on, unless an owner's key opens nothing. Then that is
 * said instead, in the endpoint's words: an owner whose key was revoked would be sent after the wrong fault.
 */
export function keyFirst(env: Parameters<typeof connect>[0], caller: Caller, words: Words<'unknown_key'>) {
  return async (fault: unknown): Promise<never> => {
    if (!(fault instanceof ApiError) || caller.kind !== 'owner') throw fault
    if (await isLiveKey<boolean>(connect(env), { keyHash: caller.keyHash })) throw fault
    throw refuse(words.unknown_key)
  }
}
