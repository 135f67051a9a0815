import type { Site } from '../site.ts'
import { sitePage } from './layout.tsx'

/**
 * Leads to a page of the processor's at once. A form of ours may not be answered with a redirect to another origin: its
 * Content-Security-Policy has `form-action 'self'`, which Chromium holds redirects to, and where processors have their pages is
 * not known beforehand.
 */
export function leavingPage(site: Site, to: string) {
  const { texts } = site
  return sitePage(site, {
    title: texts.leaving,
    head: <meta http-equiv="refresh" content={`0; url=${to}`} />,
    children: (
      <>
        <h1>{texts.leaving}</h1>
        <p>{texts.leavingText}</p>
        <p>
          <a class="button primary" href={to}>
            {texts.leavingLink}
          </a>
        </p>
      </>
    ),
  })
}
