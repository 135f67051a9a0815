import { RESTORE_PATH } from '../contract.ts'
import type { SignInStep } from '../sign-in.ts'
import type { Site } from '../site.ts'
import { sitePage } from './layout.tsx'
import { SignIn } from './sign-in.tsx'

/** Restores purchases by the e-mail address that was used to pay. */
export function restorePage(site: Site, step: SignInStep) {
  const { texts } = site
  return sitePage(site, {
    title: texts.restore,
    children: (
      <>
        <h1>{texts.restore}</h1>
        <p class="soft">{texts.restoreText}</p>
        <p class="soft">{texts.restoreEverywhere}</p>
        <SignIn site={site} step={step} action={site.href(RESTORE_PATH)} asksToRestore={false} />
      </>
    ),
  })
}
