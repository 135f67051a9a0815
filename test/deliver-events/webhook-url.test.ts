import { describe, expect, test } from 'vitest'
import { publicUrlProblem } from '../../lib/http/public-url.ts'

const PUBLIC = { allowLocal: false, ownHosts: ['pay.owner.example', null] }

describe('the address of a webhook endpoint', () => {
  test.each([
    'http://owner.example/',
    'https://owner.example:444/',
    'https://user@owner.example/',
    'https://1.1.1.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://intranet/',
    'file:///etc/passwd',
    'owner.example',
    'https://pay.owner.example/',
    'https://PAY.owner.example.:8443/webhooks',
  ])('is refused: %s', (url) => {
    expect(publicUrlProblem(url, PUBLIC)).toEqual(expect.any(String))
  })

  test.each(['https://owner.example/webhooks?a=b', 'https://owner.example:8443/', 'https://owner.example.:443/'])(
    'is accepted: %s',
    (url) => {
      expect(publicUrlProblem(url, PUBLIC)).toBeNull()
    },
  )

  test('may be loopback and http where that is allowed, but no other private address', () => {
    const problems = (urls: string[]) => urls.map((url) => publicUrlProblem(url, { ...PUBLIC, allowLocal: true }))
    expect(problems(['http://127.0.0.1:8790/webhooks', 'http://localhost:1', 'http://[::1]:80/'])).toEqual([
      null,
      null,
      null,
    ])
    expect(problems(['http://10.0.0.1/', 'http://169.254.169.254/', 'http://db.internal/'])).not.toContain(null)
  })
})
