// How the service gets to know people: they sign in, anonymously or by mail, or the owner merges two.

import { openKysely } from '../../cli/database.ts'
import { mergeUsers } from '../../cli/users/merge.ts'
import { call, type Reply } from '../support/call.ts'
import { readOwnerId } from '../support/owner-id.ts'
import { parseChallenge, parseSession, requestCode, requestTokens, type Session } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import type { Company, Person } from './person.ts'
import { retryUntilDefinite } from './retry.ts'
import type { Step } from './step.ts'

/** Returns the session of a person who makes the calls; starts one if there is none. Null while the service is down. */
export async function ownSession(person: Person): Promise<Session | null> {
  const { world } = person
  const exchange = () =>
    call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/exchange`, {
      key: world.key,
      body: { email: person.email },
    })
  const anonymous = () => requestTokens(world, { grant_type: 'anonymous' })
  person.session ??= signedIn(await retryUntilDefinite(person.kind === 'anonymous' ? anonymous : exchange))
  person.userId ??= person.session?.user.id ?? null
  return person.session
}

const signedIn = (reply: Reply | null) => (reply?.status === 200 ? parseSession(reply) : null)

const LONGEST_MS = 5_000

/** Signs an anonymous user in by mail, as itself or as another person of the life. Leaves the person as it is if something fails. */
export async function signIn(
  { people }: Company,
  person: Person,
  { as }: Extract<Step, { act: 'sign-in' }>,
): Promise<void> {
  if (person.kind !== 'anonymous' || !person.session) return
  const { world } = person
  const { token } = person.session
  const other = people.find((each) => each !== person)
  const email = as === 'another' && other ? other.email : person.email
  const count = world.mail.received.filter(({ to }) => to === email).length
  const asked = await retryUntilDefinite(() => requestCode(world, email))
  if (asked?.status !== 200) return
  const mailed = async () =>
    world.mail.received
      .filter(({ to }) => to === email)
      .slice(count)
      .at(-1)
  const mail = await until('a mail', mailed, LONGEST_MS).catch(() => null)
  const code = /\b\d{4} \d{4}\b/.exec(mail?.text ?? '')?.[0]
  if (!code) return
  const grant = { grant_type: 'code', email, code, challenge: parseChallenge(asked) }
  const session = signedIn(await retryUntilDefinite(() => requestTokens(world, grant, { token })))
  if (!session) return
  Object.assign(person, { kind: 'user', session, userId: session.user.id })
}

/** Merges the first person of a life into the second, as the owner does. The merge may have happened although the command failed. */
export async function mergeAll({ world, people: [from, into] }: Company): Promise<void> {
  if (!from?.userId || !into?.userId) return
  const names = { from: from.userId, into: into.userId }
  try {
    const users = { ownerId: await readOwnerId(world, world.paywall.id), isTest: world.paywall.is_test }
    await mergeUsers(openKysely(world.database), users, names)
    from.userId = into.userId
    from.session = null
  } catch {
    return
  }
}
