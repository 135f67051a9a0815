import { listAuditLog } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError } from '../../lib/http/errors.ts'
import { type ConsoleContext, type PageResult, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { type AuditLog, auditLogPage } from './views/audit-log.tsx'

export async function serveAuditLog(c: ConsoleContext): Promise<Response> {
  const row = await listAuditLog<PageResult<AuditLog>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    before: c.req.query('before'),
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, auditLogPage(row))
}
