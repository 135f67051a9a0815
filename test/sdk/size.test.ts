import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundledModule } from '../support/bundled-sdk.ts'

test('the browser entry with its imports has at most 8 KB when compressed', async () => {
  const code = await bundledModule("export * from 'paywall-billing-sdk/browser'")
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(8 * 1024)
})

test('the dialog has at most 2 KB when compressed', async () => {
  const code = await bundledModule("export * from 'paywall-billing-sdk/dialog'")
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(2 * 1024)
})

test.each(['', '/browser', '/dialog', '/webhooks'])(
  'paywall-billing-sdk%s imports no built-in module of Node',
  async (entry) => {
    expect(await bundledModule(`export * from 'paywall-billing-sdk${entry}'`)).not.toMatch(/from ?"node:|require\("/)
  },
)
