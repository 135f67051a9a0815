import type { Page } from 'playwright-core'
import type { TestWorld } from '../support/world.ts'

/** Uses up the mails without a captcha of each network that has asked for one. A world without rate limits counts no networks. */
export const exhaustMails = ({ database }: TestWorld) =>
  database.query(
    "update rate_limits set consumed = 100, refilled_at = now() + interval '10 minutes' where name = 'network mail'",
  )

/** Resets all limits, as if nothing had been mailed. */
export const resetMailLimits = ({ database }: TestWorld) => database.query('delete from rate_limits')

/** Solves the captcha on a page that asks for it. */
export async function solveCaptcha(page: Page): Promise<void> {
  await page.getByLabel('I am human').check()
  await page.locator('input[name=cf-turnstile-response][value^="0."]').waitFor({ state: 'attached' })
}
