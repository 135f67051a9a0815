import { hash } from 'node:crypto'
import { HOUR_SECONDS } from '../core/periods.ts'
import type { Api } from '../core/processor.ts'
import { callsInJson } from '../core/wire/calls-in-json.ts'
import { byToken } from '../core/wire/credential.ts'
import { type MollieAccount, toAccountId } from './accounts.ts'
import { errorBody, mollieError, wrongBody, wrongQuery } from './errors.ts'
import { ROUTES } from './routes.ts'

export const API: Api<MollieAccount, unknown> = {
  // Mollie stores even parse errors under the idempotency key, so parsing is part of the run.
  ...callsInJson(ROUTES, {
    unknownPath: ({ method, path }) => mollieError(404, `The resource you requested does not exist: ${method} ${path}`),
    notJson: () => mollieError(400, 'The request body is not valid JSON.'),
    mistake: (mistake, where) => (where === 'query' ? wrongQuery(mistake) : wrongBody(mistake)),
  }),
  keyHeader: 'idempotency-key',
  // As documented, a repeat gets "a cached version of the initial response", which may be an error. The maximum length of a key
  // is not documented; 255 characters are a guess.
  keyRules: {
    // "Keys older than 1 hour will be removed from our cache."
    keptSeconds: HOUR_SECONDS,
    longestKey: 255,
    refuse: (misuse) =>
      misuse === 'in_use'
        ? mollieError(409, 'A request with this idempotency key is still being processed.')
        : mollieError(400, `The idempotency key is ${misuse.replaceAll('_', ' ')}.`),
  },
  // Compares bodies byte by byte.
  fingerprint: (body) => hash('sha256', body),
  authenticate: byToken(toAccountId, () => mollieError(401, 'Missing authentication, or failed to authenticate')),
  errorBody,
  headers: ({ replayedRequestId }) => ({
    'Content-Type': 'application/hal+json',
    ...(replayedRequestId !== null && { 'Idempotent-Replayed': 'true' }),
  }),
}
