import { ApiError, apiError } from '../../lib/http/errors.ts'
import { errors } from './contract.ts'
import type { Refused } from './requested-change.ts'

/** The error of a refusal, with the status or the processor that it is about. */
export function toError({ verdict, status, acquiring, wait }: Refused): ApiError {
  if (verdict === 'unchangeable' && status) return apiError(errors.unchangeable, { status })
  if (isOfProcessor(verdict) && acquiring) return apiError(errors[verdict], { acquiring })
  if (wait !== undefined) return new ApiError(errors[verdict], { retryAfter: wait })
  return apiError(errors[verdict])
}

/** Whether a refusal is due to what the processor cannot do. */
const isOfProcessor = (verdict: Refused['verdict']) =>
  verdict === 'unsupported' || verdict === 'unschedulable' || verdict === 'cancelled'
