import { Paywall } from 'paywall-billing-sdk'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllGlobals())

/** The Idempotency-Key that a debit is sent with. */
async function keySentWith(options?: { key: string }): Promise<string | null> {
  let sent: string | null = null
  const fetch = async (request: string | URL | Request) => {
    sent = (request as Request).headers.get('idempotency-key')
    return Response.json({})
  }
  const paywall = new Paywall({ key: 'pk_test_1', paywall: '1001', baseUrl: 'https://service.example', fetch })
  await paywall.debit({ email: 'ann@example.com' }, 'standard', 1, options)
  return sent
}

const JOB = '6af3e7a4-4a96-82ed-a773-b482073c0dd4'

test.each([
  ['with Web Crypto', () => undefined],
  ['without Web Crypto, as in Node 18', () => vi.stubGlobal('crypto', undefined)],
])('%s a generated key is a random UUID, and a key from a text is always the same UUID', async (_where, arrange) => {
  arrange()
  const [first, second] = [await keySentWith(), await keySentWith()]
  expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(second).not.toBe(first)
  expect(await keySentWith({ key: 'job-42' })).toBe(JOB)
  const keys: (string | null)[] = []
  expect(await keySentWith({ key: 'job-43' })).not.toBe(JOB)
  expect(await keySentWith({ key: JOB }), 'a UUID stays as it is').toBe(JOB)
  for (const text of [
    '',
    ' ',
    'Auftrag Nr. 7 ☂ 訂單 👩‍👩‍👧',
    'x'.repeat(1_000),
    `${'x'.repeat(1_000)}1`,
    'a\nb\u0000c',
  ]) {
    const key = await keySentWith({ key: text })
    expect(key, JSON.stringify(text)).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/)
    expect(keys, JSON.stringify(text)).not.toContain(key)
    keys.push(key)
  }
})
