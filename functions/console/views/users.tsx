import type { ListedUser } from '../../../lib/access/user-details.ts'
import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { Older, Table, Time, UserLink } from './parts.tsx'

/** The result of search_users. */
export interface UserList {
  users: ListedUser[]
  has_more: boolean
}

export const usersPage = ({ viewer, users, has_more, search, mode }: UserList & UsersPageProps) =>
  consolePage({
    title: 'Users',
    section: 'Users',
    mode,
    viewer,
    children: (
      <>
        <form method="get" class="search">
          <label>
            Search <input type="search" name="search" value={search ?? ''} />
          </label>
          <button type="submit">Find</button>
          <p class="hint">An e-mail address, your id of the user, our id, or the processor's id of a purchase.</p>
        </form>
        {users.length === 0 ? (
          <p>{search ? `Nobody was found for “${search}”.` : 'There are no users yet.'}</p>
        ) : (
          <UserTable users={users} mode={mode} />
        )}
        <Older before={has_more ? users.at(-1)?.id : null} />
      </>
    ),
  })

interface UsersPageProps {
  viewer: Viewer
  search: string | null
  mode: Mode
}

function UserTable({ users, mode }: { users: ListedUser[]; mode: Mode }) {
  return (
    <Table caption="Users" head={['User', 'Name', 'Access', 'Purchases', 'Since']}>
      {users.map((user) => (
        <tr>
          <td>
            <UserLink user={user} mode={mode} />
            {user.is_erased && ' (erased)'}
            {user.is_merged && ' (merged)'}
          </td>
          <td>{user.names.join(', ')}</td>
          <td>
            <span class={user.has_access ? 'state delivered' : 'state'}>{user.has_access ? 'yes' : 'no'}</span>
          </td>
          <td class="number">{user.purchases}</td>
          <td>
            <Time at={user.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
