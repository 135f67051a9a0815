import { EMAIL_LENGTH } from '../../../lib/http/input-limits.ts'
import type { SignInStep } from '../sign-in.ts'
import type { Site } from '../site.ts'
import { Notice } from './notice.tsx'

interface SignInProps {
  site: Site
  step: SignInStep
  /** Where the forms are sent. */
  action: string
  /** Whether the visitor is asked if it takes what was bought with its address; else it does. */
  asksToRestore: boolean
}

/** The form of the step that somebody is at who signs in. */
export function SignIn({ site, step, action, asksToRestore }: SignInProps) {
  const { texts } = site
  return (
    <>
      {step.problem && <Notice kind="problem" text={step.problem} />}
      {step.challenge === null ? (
        <form class="card" method="post" action={action}>
          <EmailField site={site} value={step.email} />
          <Captcha step={step} />
          <button type="submit" class="primary" name="action" value="mail">
            {texts.requestCode}
          </button>
        </form>
      ) : (
        <form class="card" method="post" action={action}>
          <p>{texts.codeSent(step.email)}</p>
          <input type="hidden" name="email" value={step.email} />
          <input type="hidden" name="challenge" value={step.challenge} />
          <label>
            {texts.code}
            <input
              name="code"
              value={step.code}
              inputmode="numeric"
              autocomplete="one-time-code"
              required
              aria-describedby="code-hint"
            />
          </label>
          <p class="hint" id="code-hint">
            {texts.codeHint}
          </p>
          <RestoreField site={site} step={step} asks={asksToRestore} />
          <Captcha step={step} />
          <div class="row">
            <button type="submit" class="primary" name="action" value="enter">
              {texts.signIn}
            </button>
            <button type="submit" class="quiet" name="action" value="mail" formnovalidate>
              {texts.requestNewCode}
            </button>
          </div>
        </form>
      )}
    </>
  )
}

/** Turnstile's widget, which adds the field `cf-turnstile-response` to its form. */
function Captcha({ step: { captcha } }: { step: SignInStep }) {
  if (!captcha) return null
  return (
    <>
      <div class="cf-turnstile" data-sitekey={captcha.siteKey} />
      <script src={`${captcha.origin}/turnstile/v0/api.js`} async defer />
    </>
  )
}

export function EmailField({ site, value, name = 'email' }: { site: Site; value: string; name?: string }) {
  return (
    <label>
      {site.texts.email}
      <input type="email" name={name} value={value} autocomplete="email" required maxlength={EMAIL_LENGTH} />
    </label>
  )
}

function RestoreField({ site, step, asks }: { site: Site; step: SignInStep; asks: boolean }) {
  if (!asks) return <input type="hidden" name="restore" value="yes" />
  return (
    <label class="check">
      <input type="checkbox" name="restore" value="yes" checked={step.restore} />
      {site.texts.acceptRestoredPurchase}
    </label>
  )
}
