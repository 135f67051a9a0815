import { expect, test } from 'vitest'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

test.each(['', 'https://pay.icon.example'])(
  'every host has an icon, which is cacheable for a day: %s',
  async (origin) => {
    const response = await world.fetch(`${origin}/favicon.ico`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  },
)
