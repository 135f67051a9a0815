import { SIGN_IN_PATH } from '../paths.ts'
import { document } from './layout.tsx'

/** Where somebody who signs in is. */
export interface SignInStep {
  email: string
  /** What the mailed code works with; null: none was asked for yet. */
  challenge: string | null
  /** The path to continue at. */
  to: string
  problem?: string
}

export const signInPage = ({ email, challenge, to, problem }: SignInStep) =>
  document(
    'Sign in',
    <main class="narrow">
      <h1>Sign in to the console</h1>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <form method="post" action={SIGN_IN_PATH}>
        <input type="hidden" name="to" value={to} />
        {challenge === null ? (
          <label>
            E-mail address
            <input type="email" name="email" value={email} required autocomplete="email" autofocus />
          </label>
        ) : (
          <>
            <p>If {email} is in a team, a code is on its way.</p>
            <input type="hidden" name="email" value={email} />
            <CodeField challenge={challenge} />
          </>
        )}
        <button type="submit">{challenge === null ? 'Mail me a code' : 'Sign in'}</button>
      </form>
      {challenge !== null && (
        <p>
          <a href={`${SIGN_IN_PATH}?${new URLSearchParams({ to })}`}>Start again</a>
        </p>
      )}
    </main>,
  )

export function CodeField({ challenge }: { challenge: string }) {
  return (
    <>
      <input type="hidden" name="challenge" value={challenge} />
      <label>
        Code
        <input
          name="code"
          required
          inputmode="numeric"
          autocomplete="one-time-code"
          pattern="\s*(\d\s*){8}"
          autofocus
        />
      </label>
    </>
  )
}
