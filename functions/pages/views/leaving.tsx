import type { Site } from '../site.ts'
import { sitePage } from './layout.tsx'

/**
 * Redirects to a page of the processor by a `refresh`. A redirect response will not do: Chromium applies the form's
 * Content-Security-Policy, `form-action 'self'`, to redirects too, and the origins of the processors' pages are not known beforehand.
 * Out of a dialog, a script has the owner's page go there, because the processors' pages may not be framed.
 */
export function leavingPage(site: Site, to: string, title: string) {
  const { texts } = site
  return sitePage(site, {
    title,
    head: !site.embedder && <meta http-equiv="refresh" content={`0; url=${to}`} />,
    children: (
      <>
        <h1>{title}</h1>
        <p>{texts.leavingText}</p>
        <p>
          <a class="button primary" href={to} target={site.embedder ? '_top' : undefined} data-leave>
            {texts.leavingLink}
          </a>
        </p>
      </>
    ),
  })
}
