import { listKeys, revokeKey } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { type ActRefusal, act } from './act.ts'
import { readReason } from './form.ts'
import { KEYS_PATH } from './paths.ts'
import { type ConsoleContext, type PageResult, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { type KeyList, keysPage } from './views/keys.tsx'

type RevokeResult = ActRefusal | { verdict: 'unknown_key_id' } | { verdict: 'done' }

const errors = defineErrors<'unknown_key_id'>({ unknown_key_id: [404, 'key_not_found', 'There is no such key'] })

export async function serveKeys(c: ConsoleContext): Promise<Response> {
  const row = await listKeys<PageResult<KeyList>>(connect(c.env), { sessionHash: await sessionHash(c) })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, keysPage(row))
}

/** Revokes an owner key. */
export const revoke = act(async (c, session, form) => {
  const row = await revokeKey<RevokeResult>(connect(c.env), {
    sessionHash: session,
    keyId: form.key ?? '',
    reason: readReason(form),
  })
  if (row.verdict === 'unknown_key_id') throw apiError(errors.unknown_key_id)
  return row.verdict === 'done' ? KEYS_PATH : row
})
