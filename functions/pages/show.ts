import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { inlineSource } from '../../lib/http/style-source.ts'
import type { PagesContext } from './call-api.ts'
import type { Site } from './site.ts'
import { siteStyle } from './views/layout.tsx'

type Html = Parameters<PagesContext['html']>[0]

/** Responds with a page of a paywall. `captchaOrigin`: the origin of the captcha's script and frame on it. */
export const showPage = (c: PagesContext, site: Site, page: Html, status = 200, captchaOrigin?: string) =>
  show(c, siteStyle(site), page, status, { captchaOrigin, embedder: site.embedder })

/**
 * Responds with a page that has this inline style. Its policy allows subresources and forms of this origin only, and framing only by the
 * owner's page that shows it in a dialog.
 * `Referrer-Policy: same-origin` makes browsers send `Origin` with our own forms, which `requireSameOrigin` requires.
 */
export async function show(
  c: PagesContext,
  style: string,
  page: Html,
  status: number,
  { captchaOrigin, embedder = null }: { captchaOrigin?: string | undefined; embedder?: URL | null } = {},
): Promise<Response> {
  const captcha = captchaOrigin ? { script: ` ${captchaOrigin}`, frame: `frame-src ${captchaOrigin}; ` } : null
  c.header(
    'Content-Security-Policy',
    `default-src 'none'; script-src 'self'${captcha?.script ?? ''}; ${captcha?.frame ?? ''}style-src 'self' ${await inlineSource(style)}; img-src 'self'; connect-src 'self'; ` +
      `base-uri 'none'; form-action 'self'; frame-ancestors ${embedder?.origin ?? "'none'"}`,
  )
  c.header('Referrer-Policy', 'same-origin')
  return c.html(page, status as ContentfulStatusCode)
}
