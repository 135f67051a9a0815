import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { violations } from '../support/accessibility.ts'
import { openBrowser } from '../support/browser.ts'
import { call } from '../support/call.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

describe.each(['/docs', '/docs.md', '/llms.txt', '/docs/api', '/docs/api/redoc.js', '/openapi.json'])('%s', (path) => {
  test('is publicly cacheable for five minutes', async () => {
    expect(await call(world, world.docsUrl + path)).toMatchObject({
      headers: { 'cache-control': 'public, max-age=300' },
    })
  })

  test('accepts GET and HEAD only', async () => {
    expect(await call(world, world.docsUrl + path, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect(await call(world, world.docsUrl + path, { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
      body: { error: 'method_not_allowed' },
    })
  })
})

test('/llms.txt links to the guide as Markdown and to the OpenAPI document', async () => {
  const { headers, body } = await call(world, `${world.docsUrl}/llms.txt`)
  expect(headers['content-type']).toContain('text/plain')
  const links = [...String(body).matchAll(/\]\((.*?)\)/g)].map(([, link]) => link)
  expect(links).toEqual([`${world.docsUrl}/docs.md`, `${world.docsUrl}/openapi.json`])
})

test('/docs.md is the guide with all its chapters, and each of its links leads somewhere', async () => {
  const { headers, body } = await call(world, `${world.docsUrl}/docs.md`)
  expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
  const chapters = (text: string) => text.match(/^## .*$/gm)
  expect(chapters(String(body))).toEqual(chapters(readFileSync('docs/guide.md', 'utf8')))
  const links = new Set([...String(body).matchAll(/\]\((.*?)\)/g)].map(([, link = '']) => link.replace(/^#.*/, '#')))
  expect([...links].filter((link) => !link.startsWith('https:')).toSorted()).toEqual(['#', '/openapi.json'])
})

test('/ returns the name, the version and the links of the service as JSON', async () => {
  const { status, body } = await call(world, '/')
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      service: 'paywall-billing',
      version: '1.0.0',
      docs: `${world.docsUrl}/docs`,
      reference: `${world.docsUrl}/docs/api`,
      openapi: `${world.docsUrl}/openapi.json`,
    },
  })
})

test('/ works without the database on the service’s own origin', async () => {
  world.neon.onStatement = () => Promise.reject(new ResponseLost())
  onTestFinished(() => {
    world.neon.onStatement = undefined
  })
  const page = await call(world, '/', { headers: { accept: 'text/html' } })
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining(`href="${world.docsUrl}/docs"`) })
  expect(await call(world, '/')).toMatchObject({ status: 200, body: { docs: `${world.docsUrl}/docs` } })
  expect(await call(world, 'https://pay.elsewhere.example/')).toMatchObject({ status: 503 })
})

describe.each(['/', '/docs'])('%s as a page', (path) => {
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  test('is one file without scripts, with a policy that allows its own style only', async () => {
    const { status, headers, body } = await call(world, world.docsUrl + path, { headers: { accept: 'text/html' } })
    const page = String(body)
    const style = /<style>([^<]*)<\/style>/.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('text/html')
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(page).not.toMatch(/<script|\ssrc=|\sstyle=|<link/)
  })

  test('has no broken link', async () => {
    const page = String((await call(world, world.docsUrl + path, { headers: { accept: 'text/html' } })).body)
    const anchors = [...page.matchAll(/\sid="([\w-]+)"/g)].map(([, id]) => `#${id}`)
    const links = [...page.matchAll(/href="([^"]+)"/g)].flatMap(([, href = '']) =>
      href.startsWith('https:') ? [] : href,
    )
    const ours = links.filter((href) => !href.startsWith('#'))
    const statuses = await Promise.all(
      ours.map(async (href) => (await call(world, new URL(href, world.docsUrl).href)).status),
    )
    expect(links.filter((href) => href.startsWith('#') && !anchors.includes(href))).toEqual([])
    expect(ours.filter((_, index) => statuses[index] !== 200)).toEqual([])
  })

  test.each(
    (['light', 'dark'] as const).flatMap((colorScheme) => [390, 1280].map((width) => ({ colorScheme, width }))),
  )('is accessible: $colorScheme, $width wide', async ({ colorScheme, width }) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
    const page = await context.newPage()
    await page.goto(world.docsUrl + path)
    expect((await violations(page)).map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await context.close()
  })
})
