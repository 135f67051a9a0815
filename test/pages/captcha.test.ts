// The captcha on a paywall's own pages: shown only if no code is mailed without it.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { newEmail } from '../support/checkout.ts'
import { readMailedCode } from '../support/sign-in.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'
import { DEMO_PAYWALL } from './demo-paywall.ts'
import { exhaustMails, resetMailLimits, solveCaptcha } from './mail-limit.ts'
import { press, visit } from './visitor.ts'

let world: TestWorld
let browser: Browser

beforeAll(async () => {
  const turnstile = { siteKey: '0x4-site-pages', secretKey: '0x4-secret-pages' }
  world = await startTestWorld({ rateLimited: true, file: { paywall: { ...DEMO_PAYWALL, turnstile } } })
  browser = await openBrowser()
})
beforeEach(() => resetMailLimits(world))
afterAll(async () => {
  await browser.close()
  await world.close()
})

const getPolicy = (headers: Record<string, string> | undefined) => headers?.['content-security-policy'] ?? ''

test.each(['account', 'restore'])(
  '%s: a visitor from a network that has exceeded its mail limit solves the captcha and signs in',
  async (path) => {
    const pages = { world, browser, close: async () => {} }
    const visitor = await visit(pages, { path: `/${path}` })
    const { page, home } = visitor
    const first = await page.goto(`${home}/${path}`)
    expect(getPolicy(first?.headers())).not.toContain('frame-src')
    await page.getByLabel('E-mail address').fill(newEmail())
    await press(visitor, 'Send me a code')
    await page.getByLabel('Code from the e-mail').waitFor()
    await exhaustMails(world)

    await page.goto(`${home}/${path}`)
    const email = newEmail()
    await page.getByLabel('E-mail address').fill(email)
    const response = page.waitForResponse((each) => each.request().method() === 'POST')
    await press(visitor, 'Send me a code')
    const refused = await response
    expect(refused.status()).toBe(429)
    const policy = getPolicy(await refused.allHeaders())
    expect(policy).toContain(`script-src 'self' ${world.turnstile.url}; frame-src ${world.turnstile.url};`)
    expect(await page.getByRole('alert').textContent()).toContain('confirm that you are human')

    await solveCaptcha(page)
    await press(visitor, 'Send me a code')
    const field = page.getByLabel('Code from the e-mail')
    await field.waitFor()
    expect(await field.getAttribute('inputmode')).toBe('numeric')
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await page.locator('.cf-turnstile').count()).toBe(0)
    const code = await readMailedCode(world, email)
    await field.fill(` ${code.slice(0, 4)}-${code.slice(4)} `)
    await press(visitor, 'Sign in')
    await page.getByText(`Signed in as ${email}`).waitFor()
  },
)
