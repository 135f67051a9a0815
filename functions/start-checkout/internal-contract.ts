import * as z from 'zod'
import type { UserRefusal } from '../../lib/auth/gate.ts'
import { missingCredentialErrors, userErrors } from '../../lib/auth/gate-errors.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { OFFER_LENGTH } from '../../lib/http/input-limits.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'

/*
 * What the pages of a paywall ask about a code of an offer. Only the Worker `pages` calls it: the gateway has no route to it. The errors
 * of a wrong code are those of start-checkout.
 */

export const CODE_PATH = '/api/v1/paywall/:id/find-offer-by-code'

export const CodeBody = z.object(
  { code: z.string('Invalid code').trim().min(1, 'Invalid code').max(OFFER_LENGTH, 'Invalid code') },
  'invalid_body',
)

export const codeErrors = defineErrors<UserRefusal | 'no_credential' | 'bad_token'>({
  ...missingCredentialErrors,
  ...userErrors,
  ...paywallErrors,
})
