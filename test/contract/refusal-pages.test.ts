import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCRIPT_PATH } from '../../generated/page-assets.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

/** What a browser accepts where it will show the answer. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** More than two periods allow a caller. */
const BURST = 250

const burst = (path: string, init: { method?: string; headers: Record<string, string> }) =>
  Promise.all(Array.from({ length: BURST }, () => world.fetch(path, init)))

test.each(['/acount', '/p/1001/', '/p/1001/nothing'])(
  'a browser at %s is told in words that there is no such page',
  async (path) => {
    const response = await world.fetch(path, { headers: BROWSER })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toContain('There is no such page')
    expect(await (await world.fetch(path)).json()).toEqual({ error: 'not_found' })
  },
)

test('a browser that asks a page too often is told in words, and others in JSON', async () => {
  // A form that comes from nowhere is refused at once: the burst costs no reads.
  const path = `/p/${world.paywall.id}/account`
  const from = { 'cf-connecting-ip': '192.0.2.21' }
  const answers = await burst(path, { method: 'POST', headers: { ...from, ...BROWSER } })
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]))
  const refused = answers.find(({ status }) => status === 429)!
  expect(refused.headers.get('retry-after')).toBe('10')
  expect(await refused.text()).toMatch(/Nothing was sent, .* go back and try again/)
  const others = await burst(path, { method: 'POST', headers: from })
  expect(await others.find(({ status }) => status === 429)?.json()).toEqual({ error: 'rate_limit_exceeded' })
})

test('what a page loads takes nothing from its visitor', async () => {
  const headers = { 'cf-connecting-ip': '192.0.2.22' }
  const answers = await burst(SCRIPT_PATH, { headers })
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
