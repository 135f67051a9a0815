import { isLiveKey } from '../../generated/calls.ts'
import { connect } from '../db/connect.ts'
import { ApiError, apiError, type ErrorTable } from '../http/errors.ts'
import type { Caller } from './gate.ts'

/**
 * For a `catch` after parsing: an invalid owner key is reported instead of the parse error. If the key is valid, the parse error is
 * rethrown.
 */
export function rejectInvalidKeyFirst(
  env: Parameters<typeof connect>[0],
  caller: Caller,
  errors: ErrorTable<'unknown_key'>,
) {
  return async (fault: unknown): Promise<never> => {
    if (!(fault instanceof ApiError) || caller.kind !== 'owner') throw fault
    if (await isLiveKey<boolean>(connect(env), { keyHash: caller.keyHash })) throw fault
    throw apiError(errors.unknown_key)
  }
}
