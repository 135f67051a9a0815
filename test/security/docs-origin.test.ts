import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let domain: string

beforeAll(async () => {
  domain = `https://${randomUUID()}.example`
  await newTenant(world, { domain: new URL(domain).hostname })
})

const HTML = { accept: 'text/html' }
const notFound = { status: 404, body: { error: 'not_found' } }

describe.each(['/docs', '/docs.md', '/llms.txt', '/docs/api', '/docs/api/redoc.js', '/openapi.json'])('%s', (path) => {
  test('is served at the origin of the docs', async () => {
    expect(await call(world, world.docsUrl + path)).toMatchObject({ status: 200 })
  })

  test('is not served on an owner’s domain or at the origin of the paywalls’ sites', async () => {
    const port = new URL(world.url).port
    for (const origin of [
      domain,
      world.url,
      'https://elsewhere.example',
      `http://docs.localhost:${port}`,
      'https://localhost',
    ]) {
      expect(await call(world, origin + path), origin).toMatchObject(notFound)
      expect(await call(world, origin + path, { headers: HTML }), origin).toMatchObject({ status: 404 })
    }
  })
})

test('the origin of the docs serves no paywall’s site, but it serves the API', async () => {
  for (const path of ['', '/account', '/thanks', '/session', '/account/ticket']) {
    expect(await call(world, `${world.docsUrl}/p/${world.paywall.id}${path}`), path).toMatchObject(notFound)
  }
  expect(await call(world, `${world.docsUrl}/thanks`)).toMatchObject(notFound)
  const api = `/api/v1/paywall/${world.paywall.id}/bootstrap`
  expect(await call(world, world.docsUrl + api)).toMatchObject({ status: 200, body: { version: expect.any(String) } })
})

test('both origins serve the front page, which links to the docs’ origin', async () => {
  for (const origin of [world.url, world.docsUrl]) {
    const { status, body } = await call(world, `${origin}/`, { headers: HTML })
    expect(status).toBe(200)
    const links = [...String(body).matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
    expect([...new Set(links)].toSorted()).toEqual([
      '#text',
      '/',
      ...['/docs', '/docs/api', '/openapi.json'].map((path) => world.docsUrl + path),
    ])
  }
})
