import { listAuditLog } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError } from '../../lib/http/errors.ts'
import { readQuery } from './form.ts'
import { type ConsoleContext, type PageResult, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { type AuditLog, auditLogPage } from './views/audit-log.tsx'

export async function serveAuditLog(c: ConsoleContext): Promise<Response> {
  const { before } = await readQuery(c)
  const row = await listAuditLog<PageResult<AuditLog>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    before,
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, auditLogPage(row))
}
