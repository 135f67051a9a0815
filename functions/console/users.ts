import { findFrontMode, searchUsers, showUser } from '../../generated/calls.ts'
import type { UserDetails } from '../../lib/access/user-details.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { readQuery } from './form.ts'
import {
  type ConsoleContext,
  isTestMode,
  type PageRefusal,
  type PageResult,
  pageMode,
  sessionErrors,
  sessionHash,
} from './session.ts'
import { showPage } from './show.ts'
import { userPage } from './views/user.tsx'
import { type UserList, usersPage } from './views/users.tsx'

type FrontResult = { verdict: PageRefusal } | { verdict: 'found'; is_test: boolean }

export const userErrors = defineErrors<'unknown_user_id'>({
  unknown_user_id: [404, 'user_not_found', 'There is no such user'],
})

/** Goes to the first page. */
export async function serveFront(c: ConsoleContext): Promise<Response> {
  const row = await findFrontMode<FrontResult>(connect(c.env), { sessionHash: await sessionHash(c) })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return c.redirect(`/${row.is_test ? 'test' : 'live'}/users`)
}

export async function serveUsers(c: ConsoleContext): Promise<Response> {
  const { search: text, before } = await readQuery(c)
  const search = text?.trim() ?? null
  const row = await searchUsers<PageResult<UserList>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    search,
    before,
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, usersPage({ ...row, search, mode: pageMode(c) }))
}

export async function serveUser(c: ConsoleContext): Promise<Response> {
  const row = await showUser<PageResult<UserDetails, 'unknown_user_id'>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    userId: c.req.param('user') ?? '',
  })
  if (row.verdict === 'unknown_user_id') throw apiError(userErrors.unknown_user_id)
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, userPage({ ...row, mode: pageMode(c) }))
}
