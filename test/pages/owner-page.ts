import type { FrameLocator, Page } from 'playwright-core'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { startOwnerSite } from '../support/owner-site.ts'
import type { Pages } from './pages.ts'

/** A page of an owner, at another site than the paywall's. It shows the paywall in a dialog. The caller closes it. */
export interface OwnerPage {
  /** Its origin, which the paywall lists. `?lang=de`: the page is in German. */
  origin: string
  /** The same page at an origin that is not listed. */
  unlisted: string
  close(): Promise<void>
}

const html = (
  home: string,
) => `<!doctype html><html lang="en"><title>Acme</title><main><h1>Acme</h1><a data-paywall href="${home}">Upgrade</a></main>
<script>
  document.documentElement.lang = new URLSearchParams(location.search).get('lang') ?? 'en'
  const messages = []
  for (const type of ['paywall:bought', 'paywall:close']) document.addEventListener(type, ({ detail }) => messages.push({ type, detail }))
</script>
<script src="${home}/dialog.js" async></script>`

/** Starts a page that sells a paywall of the world's file. */
export async function startOwnerPage(
  { world }: Pages,
  paywall: FilePaywall,
  scripts: Record<string, string> = {},
): Promise<OwnerPage> {
  const { url, close } = await startOwnerSite(html(`${world.url}/p/${paywall.id}`), scripts)
  const origin = `http://shop.localhost:${new URL(url).port}`
  const listed = { ...paywall, settings: { ...paywall.settings, embed_origins: [origin] } }
  await world.apply({ ...world.file, paywalls: world.file.paywalls.map((each) => (each === paywall ? listed : each)) })
  return { origin, unlisted: url, close }
}

/** The paywall's pages in the dialog. */
export const getFrame = (page: Page): FrameLocator => page.frameLocator('dialog iframe')

/** Opens the dialog from the page's link. */
export async function openDialog(page: Page): Promise<FrameLocator> {
  await page.getByRole('link', { name: 'Upgrade' }).click()
  return getFrame(page)
}

/** What the dialog has reported to the page. */
export const readMessages = (page: Page) => page.evaluate<{ type: string; detail: unknown }[]>('messages')
