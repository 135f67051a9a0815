import type { Site } from '../site.ts'
import { sitePage } from './layout.tsx'

/** Thanks whoever has bought; says to others what they can do. */
export function thanksPage(site: Site) {
  const { texts, user, token } = site
  const [title, text] = user?.paid
    ? [texts.thanks, texts.thanksText]
    : token
      ? [texts.pending, texts.pendingText]
      : [texts.thanks, texts.thanksGuest]
  return sitePage(site, {
    title,
    children: (
      <>
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a class="button primary" href={site.href('/account')}>
            {texts.account}
          </a>
        </p>
      </>
    ),
  })
}
