import * as z from 'zod'
import type { Calls } from './closed-loop.ts'
import { api, type Endpoint, newEmail, post } from './endpoint.ts'
import { exchange, type Scene } from './scene.ts'

const Reply = z.object({ refresh_token: z.string() })

/** A challenge that no mailed code has. */
const UNKNOWN_CHALLENGE = 'A'.repeat(43)

/** More sessions than connections: requests in progress at the end of a round lose their sessions. */
const SESSIONS = 24

/** Mailing a code, and every way to sign in. */
export const SIGN_IN: Endpoint[] = [
  {
    name: 'sign-in, mail a code',
    request: (scene) => post(`${api(scene)}/sign-in/code`, { email: newEmail() }),
  },
  {
    // A code works only once, and would have to be mailed and read first. A refusal can be repeated and runs the same
    // statement; the work after a correct code is measured by `sign-in by exchange`.
    name: 'sign-in by code, refused',
    expected: 400,
    request: (scene) =>
      post(`${api(scene)}/sign-in/token`, {
        grant_type: 'code',
        email: newEmail(),
        code: '12345678',
        challenge: UNKNOWN_CHALLENGE,
      }),
  },
  {
    name: 'sign-in anonymously',
    request: (scene) => post(`${api(scene)}/sign-in/token`, { grant_type: 'anonymous' }),
  },
  {
    name: 'sign-in by refresh token',
    worksOnce: true,
    calls: refreshCalls,
  },
  {
    name: 'sign-in by exchange',
    request: (scene, { email }) => post(`${api(scene)}/sign-in/exchange`, { email }, { 'x-api-key': scene.key }),
  },
]

/** A refresh token works only once, and the response contains the next one, so a session is reused only after its response. */
async function refreshCalls(scene: Scene): Promise<Calls> {
  const tokens: string[] = []
  for (const { email } of scene.people.slice(0, SESSIONS)) tokens.push((await exchange(scene, email)).refreshToken)
  return {
    next() {
      const token = tokens.shift()
      if (token === undefined) throw new Error('all sessions are in use')
      return post(`${api(scene)}/sign-in/token`, { grant_type: 'refresh_token', refresh_token: token })
    },
    onReply: (body) => tokens.push(Reply.parse(JSON.parse(body)).refresh_token),
  }
}
