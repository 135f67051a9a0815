import { listEvents } from '../../generated/calls.ts'
import { misplacedKey } from '../../lib/auth/credential.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseQuery } from '../../lib/http/parse.ts'
import { requestHost } from '../../lib/http/paywall-target.ts'
import { errors, MAX_EVENTS, PATH, Query, toCursor } from './contract.ts'

/** The result of list_events. Positions and times are in microseconds, and `events` are their bodies as JSON text. */
type ListResult =
  | { verdict: 'unknown_key' | 'custom_domain' }
  | { verdict: 'cursor_expired'; oldest: number; read_since: number }
  | { verdict: 'listed'; events: string[]; next: number; read_since: number; has_more: boolean }

const app = createApp<Cloudflare.ListEventsEnv>()

app.get(PATH, async (c) => {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw apiError(errors.no_credential, misplacedKey(c.req))

  const keyHash = await sha256Hex(key)
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, { kind: 'owner', keyHash }, errors)
  const { after, limit = MAX_EVENTS } = await parseQuery(c.req, Query).catch(rejectInvalidKey)
  const row = await listEvents<ListResult>(connect(c.env), {
    keyHash,
    host: requestHost(c),
    after: after?.position,
    readSince: after?.readSince,
    count: limit,
  })
  if (row.verdict === 'cursor_expired') {
    const oldest = { position: row.oldest, readSince: row.read_since }
    throw apiError(errors.cursor_expired, { oldest_cursor: toCursor(oldest) })
  }
  if (row.verdict !== 'listed') throw apiError(errors[row.verdict])
  c.header('Cache-Control', 'private, no-store')
  const events = row.events.map((body): unknown => JSON.parse(body))
  const next = { position: row.next, readSince: row.read_since }
  return c.json({ events, next_cursor: toCursor(next), has_more: row.has_more })
})

app.all(PATH, allowOnly('GET', 'HEAD'))

export default app
