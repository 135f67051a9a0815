import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { keysSection } from '../../dev/world/home/sections/keys.ts'
import { jsonReport } from '../../dev/world/report.ts'
import { formatSaved } from '../../dev/world/saved-files.ts'
import { type Start, welcome, welcomeJson } from '../../dev/world/welcome.ts'
import { livePaywallFile } from '../support/paywall-file.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let start: Start
let key: string

beforeAll(async () => {
  const live = await livePaywallFile()
  key = live.keys[0]?.secret ?? ''
  const result = await world.apply(live)
  const newSecrets = [{ what: 'key backend', secret: key }]
  const results = [{ ...result, newSecrets, file: live }]
  start = {
    world,
    home: { url: 'http://127.0.0.1:1', close: async () => {} },
    shop: null,
    demo: null,
    files: [live, world.file],
    results,
  }
})

afterEach(() => {
  vi.restoreAllMocks()
})

test('the start message prints test keys, but no live keys, as text and as JSON', () => {
  expect(key).toMatch(/^pk_live_/)
  for (const text of [welcome(start), JSON.stringify(welcomeJson(start))]) {
    expect(text).not.toContain(key.slice(0, 12))
    expect(text).toContain('pk_live_…')
    expect(text).toContain(world.key)
  }
})

test('the message for a saved paywall file prints no live keys, as text and as JSON', () => {
  const [applied] = start.results
  if (!applied) throw new Error('nothing was applied')
  const saved = { path: 'paywall.json', outcome: { applied } }
  const text = formatSaved(saved)
  expect(text).toContain('created, shown once')
  expect(text).not.toContain(key.slice(0, 12))
  const lines = vi.spyOn(console, 'log').mockReturnValue()
  jsonReport.saved(saved)
  expect(lines.mock.calls).toEqual([[expect.stringContaining('pk_live_…')]])
  expect(lines.mock.calls.join()).not.toContain(key.slice(0, 12))
})

test('home shows no live keys', async () => {
  const [live] = start.files
  const section = await keysSection({ world, shop: null }, { file: live!, paywall: live!.paywalls[0]! })
  expect(String(section)).toContain('pk_live_…')
  expect(String(section)).not.toContain(key.slice(0, 12))
})
