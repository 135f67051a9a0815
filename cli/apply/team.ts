// Who may sign in to the owner's console: compares the file with the database, and saves the differences.
import type { Database } from '../database.ts'
import type { PaywallFile, TeamMember } from '../paywall-file/file.ts'
import { type Change, toChange } from './changes.ts'
import type { StoredState } from './stored.ts'

export interface TeamDifference {
  changes: Change[]
  /** E-mail addresses. */
  toRemove: string[]
  toSave: TeamMember[]
}

export function compareTeam({ team }: PaywallFile, stored: StoredState): TeamDifference {
  const known = new Map(stored.team.map(({ email, role }) => [email, role]))
  const toSave = team.filter(({ email, role }) => known.get(email) !== role)
  const toRemove = [...known.keys()].filter((email) => !team.some((member) => member.email === email))
  const changes = [
    ...toSave.map(({ email, role }) => toChange(`team ${email}`, `${known.has(email) ? 'now' : 'new,'} ${role}`)),
    ...toRemove.map((email) => toChange(`team ${email}`, 'removed')),
  ]
  return { changes, toRemove, toSave }
}

/** From now on they cannot use the console: each of its calls looks up the role. */
export async function removeTeamMembers(db: Database, ownerId: string, emails: string[]): Promise<void> {
  if (emails.length === 0) return
  await db.deleteFrom('team_members').where('owner_id', '=', ownerId).where('email', 'in', emails).execute()
}

export async function saveTeam(db: Database, ownerId: string, team: TeamMember[]): Promise<void> {
  if (team.length === 0) return
  await db
    .insertInto('team_members')
    .values(team.map((member) => ({ ...member, owner_id: ownerId })))
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'email']).doUpdateSet(({ ref }) => ({ role: ref('excluded.role') })),
    )
    .execute()
}
