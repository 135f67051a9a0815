import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { inlineSource } from '../../lib/http/style-source.ts'
import type { PagesContext } from './call-api.ts'
import type { Site } from './site.ts'
import { brandStyle } from './views/colour.ts'

type Html = Parameters<PagesContext['html']>[0]

/** Answers with a page of a paywall. `captchaOrigin`: where the script and the frame of a captcha on it come from. */
export const showPage = (c: PagesContext, site: Site, page: Html, status = 200, captchaOrigin?: string) =>
  show(c, brandStyle(site.structure.settings.brand_color), page, status, captchaOrigin)

/**
 * Answers with a page that has this inline style. It may load what this origin serves, send forms there, and be framed by nobody.
 * To a page of the same origin a browser says where a form was: by that a forged one is told.
 */
export async function show(
  c: PagesContext,
  style: string,
  page: Html,
  status: number,
  captchaOrigin?: string,
): Promise<Response> {
  const captcha = captchaOrigin ? { script: ` ${captchaOrigin}`, frame: `frame-src ${captchaOrigin}; ` } : null
  c.header(
    'Content-Security-Policy',
    `default-src 'none'; script-src 'self'${captcha?.script ?? ''}; ${captcha?.frame ?? ''}style-src 'self' ${await inlineSource(style)}; img-src 'self'; connect-src 'self'; ` +
      "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  c.header('Referrer-Policy', 'same-origin')
  return c.html(page, status as ContentfulStatusCode)
}
