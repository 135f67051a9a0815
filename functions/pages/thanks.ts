import type { PagesContext } from './ask.ts'
import { showPage } from './show.ts'
import { siteOf } from './site.ts'
import { thanksPage } from './views/thanks.tsx'

/** Where a buyer lands who has paid. */
export async function showThanks(c: PagesContext): Promise<Response> {
  const site = await siteOf(c)
  return showPage(c, site, thanksPage(site))
}
