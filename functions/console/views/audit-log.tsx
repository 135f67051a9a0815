import { toWords } from '../../../lib/text/formats.ts'
import type { Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { Older, Table, Time } from './parts.tsx'

/** The result of list_audit_log. */
export interface AuditLog {
  entries: Entry[]
  has_more: boolean
}

interface Entry {
  id: number
  at: string
  email: string
  role: string
  act: string
  /** Null: it concerns both modes. */
  is_test: boolean | null
  user_id: string | null
  subject: string | null
  reason: string | null
}

export const auditLogPage = ({ viewer, entries, has_more }: AuditLog & { viewer: Viewer }) =>
  consolePage({
    title: 'Audit log',
    section: 'Audit log',
    mode: null,
    viewer,
    children: (
      <>
        {entries.length === 0 && <p>Nothing was done in the console yet.</p>}
        {entries.length > 0 && (
          <Table caption="Audit log" head={['When', 'Who', 'Act', 'To', 'Why']}>
            {entries.map((entry) => (
              <tr>
                <td>
                  <Time at={entry.at} />
                </td>
                <td>
                  {entry.email}, {entry.role}
                </td>
                <td>
                  {toWords(entry.act)}
                  {entry.is_test && ' (test)'}
                </td>
                <td>
                  <Subject entry={entry} />
                </td>
                <td>{entry.reason}</td>
              </tr>
            ))}
          </Table>
        )}
        <Older before={has_more ? String(entries.at(-1)?.id) : null} />
      </>
    ),
  })

function Subject({ entry: { user_id, subject, is_test } }: { entry: Entry }) {
  if (!user_id) return <>{subject}</>
  return <a href={`/${is_test ? 'test' : 'live'}/users/${user_id}`}>{subject ?? user_id}</a>
}
