import { isLiveKey } from '../../generated/calls.ts'
import { connect } from '../db/connect.ts'
import type { Caller } from '../db/gate.ts'
import { ApiError, refuse, type Words } from '../http/errors.ts'

/**
 * For a `catch` after parsing. If the owner key is invalid, the caller is told that, in the endpoint's words; otherwise the
 * parse error is thrown on.
 */
export function keyFirst(env: Parameters<typeof connect>[0], caller: Caller, words: Words<'unknown_key'>) {
  return async (fault: unknown): Promise<never> => {
    if (!(fault instanceof ApiError) || caller.kind !== 'owner') throw fault
    if (await isLiveKey<boolean>(connect(env), { keyHash: caller.keyHash })) throw fault
    throw refuse(words.unknown_key)
  }
}
