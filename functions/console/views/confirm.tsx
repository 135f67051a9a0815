import { document } from './layout.tsx'
import { CodeField } from './sign-in.tsx'

interface Confirmation {
  email: string
  challenge: string
  problem?: string
  /** The fields of the act's form, which is sent again with the code. */
  form: Record<string, string>
}

/** Asks for a code before an act that moves money or ends access. */
export const confirmPage = ({ email, challenge, problem, form }: Confirmation) =>
  document(
    'Confirm',
    <main class="narrow">
      <h1>Confirm with a code</h1>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <p>We mailed a code to {email}. It is needed once in ten minutes for whatever moves money or ends access.</p>
      <form method="post">
        {Object.entries(form).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="email" value={email} />
        <CodeField challenge={challenge} />
        <button type="submit">Confirm</button>
      </form>
    </main>,
  )
