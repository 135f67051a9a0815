import { KEYS_PATH } from '../paths.ts'
import type { Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { ActForm, Table, Time } from './parts.tsx'

/** The result of list_keys. */
export interface KeyList {
  keys: { id: string; name: string; is_test: boolean; created_at: string; revoked_at: string | null }[]
}

export const keysPage = ({ viewer, keys }: KeyList & { viewer: Viewer }) =>
  consolePage({
    title: 'Keys',
    section: 'Keys',
    mode: null,
    viewer,
    children: (
      <>
        <p>
          New keys are added to the paywall file. A key that is revoked here and still in the file is valid again once
          the file is applied.
        </p>
        <Table caption="Keys" head={['Key', 'Mode', 'Created', 'State', 'Change']}>
          {keys.map((key) => (
            <tr>
              <td>{key.name}</td>
              <td>{key.is_test ? 'test' : 'live'}</td>
              <td>
                <Time at={key.created_at} />
              </td>
              <td>
                {key.revoked_at ? (
                  <>
                    revoked <Time at={key.revoked_at} />
                  </>
                ) : (
                  <span class="state delivered">valid</span>
                )}
              </td>
              <td>
                {!key.revoked_at && viewer.permissions.includes('revoke_key') && (
                  <ActForm action={KEYS_PATH} label="Revoke" fields={{ key: key.id }} />
                )}
              </td>
            </tr>
          ))}
        </Table>
      </>
    ),
  })
