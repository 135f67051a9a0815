import { expect, test } from 'vitest'
import { mailPage } from '../../dev/world/pages/mail-page.ts'
import { receiverPage } from '../../dev/world/pages/receiver-page.ts'

const HOSTILE = '<script>alert(1)</script>'
const at = new Date('2026-11-21T05:44:41.315Z')

test('the receiver page says of each event whether its signature fits, and escapes what arrived', () => {
  const body = JSON.stringify({ type: HOSTILE })
  const page = receiverPage([
    { at, path: '/webhooks', headers: { 'webhook-id': HOSTILE }, body, verified: true },
    { at, path: '/webhooks', headers: {}, body: 'no JSON', verified: false },
  ])
  expect(page).toContain('Webhooks received: 2')
  expect(page).toContain('2026-11-21 05:44:41 UTC')
  expect(page.match(/signature verified|signature fits no secret/g)).toEqual([
    'signature verified',
    'signature fits no secret',
  ])
  expect(page).not.toContain(HOSTILE)
})

test('the mail page shows each mail and escapes what was written', () => {
  const from = { name: HOSTILE, email: 'sign-in@paywall.example' }
  const page = mailPage([{ id: '1', at, from, to: 'ada@example.com', subject: `1 ${HOSTILE}`, text: HOSTILE }])
  for (const shown of ['Mails: 1', 'to ada@example.com', '1 &lt;script&gt;']) expect(page).toContain(shown)
  expect(page).not.toContain(HOSTILE)
})
