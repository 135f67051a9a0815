import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { call } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { paywall } from '../support/paywall.ts'
import { type FileJson, monthly, writtenWebhooks, yearly } from '../support/paywall-file.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { useTestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-plan-'))
const path = join(folder, 'paywall.json')

const world = useTestWorld()
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes the world's own file, with some fields and the prices replaced. */
function write(fields: FileJson = {}, prices: FileJson[] = [monthly(), yearly()]): void {
  const { owner, keys, paywalls } = world.file
  const [{ id, name, is_test: test, settings, processor }] = paywalls as [(typeof paywalls)[number]]
  const file = {
    owner,
    keys: keys.map((key) => ({ name: key.name, secret: key.secret })),
    webhooks: writtenWebhooks(world.file),
    paywalls: [{ id, name, test, settings, processor, prices }],
    ...fields,
  }
  writeFileSync(path, JSON.stringify(file))
}

const run = (args: string[], variables: Record<string, string> = {}) => paywall(world, args, variables)

const Json = z.object({
  changes: z.array(z.looseObject({ what: z.string(), destructive: z.boolean(), subscribers: z.int().nullable() })),
})
const json = async (args: string[]) => JSON.parse((await run([...args, '--json'])).out)

describe('plan', () => {
  test('prints that there is nothing to change if the file was applied', async () => {
    write()
    expect((await run(['plan', path])).out).toMatch(/^Nothing to change\.\nVersion of paywall/)
  })

  test('counts each affected subscriber once, and none whose subscription has ended', async () => {
    const [email, other] = [newEmail(), newEmail()]
    for (const [subscriber, slug] of [
      [email, 'monthly'],
      [other, 'monthly'],
      [newEmail(), 'yearly'],
    ] as const) {
      await buy(world, { paywall: world.paywall, key: world.key, email: subscriber, slug })
    }
    await buy(world, {
      paywall: world.paywall,
      key: world.key,
      email,
      slug: 'yearly',
      body: { ignoreActivePurchase: true },
    })
    const { userId } = await buy(world, { paywall: world.paywall, key: world.key, email: newEmail() })
    await world.stripe.drainWebhooks()
    await world.database.query(`update purchases set status = 'canceled' where user_id = $1`, [userId])

    write({ webhooks: [] }, [monthly({ amount: 12 })])
    const { out } = await run(['plan', path])
    expect(out).toContain('Destructive changes:\n')
    expect(out).toMatch(
      /price monthly: price_\w+ is retired, price_\w+ on sale \(2 subscribers\)\n {4}amount 9\.99 → 12\n/,
    )
    expect(out).toMatch(
      /\nWarning: paywall \d+: price monthly: the amount changes from 9\.99 USD to 12 USD, but processorPrice is /,
    )
    expect(out).toMatch(/price yearly: price_\w+ is retired \(2 subscribers\)\n/)
    expect(out).toMatch(/webhook .*: disabled \(3 subscribers\)\n/)
    const { changes } = Json.parse(await json(['plan', path]))
    expect(
      changes.map(({ what, destructive, subscribers }) => [what.replace(/.*: /, ''), destructive, subscribers]),
    ).toEqual([
      [expect.stringMatching(/^test webhook /), true, 3],
      ['price monthly', true, 2],
      ['price yearly', true, 2],
    ])
  })

  test('prints old values in red and new ones in green if FORCE_COLOR is set', async () => {
    write({}, [monthly({ label: 'Each month' }), yearly()])
    const { out } = await run(['plan', path])
    expect(out).toContain('price monthly: label Monthly → Each month\n')
    const coloured = await run(['plan', path], { FORCE_COLOR: '1' })
    expect(coloured.out).toContain('label \u001b[31mMonthly\u001b[39m → \u001b[32mEach month\u001b[39m')
  })
})

describe('apply', () => {
  test('refuses destructive changes without a terminal and without --yes', async () => {
    write({ keys: [] }, [monthly({ label: 'Each month' }), yearly()])
    const before = await stateChecksum(world)
    const refused = await run(['apply', path])
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err.split('\n')).toEqual([
      'paywall: key backend: revoked',
      'paywall: nothing was changed: without a terminal, destructive changes need --yes',
      '',
    ])
    expect(await json(['apply', path])).toEqual({
      errors: ['key backend: revoked', expect.stringContaining('--yes')],
    })
    expect(await stateChecksum(world)).toEqual(before)

    const applied = await run(['apply', path, '--yes'])
    expect(applied).toMatchObject({ code: 0, err: '' })
    expect(applied.out).toMatch(
      /^Changes made:\n {2}paywall .*label Monthly → Each month\nDestructive changes made:\n {2}key backend: revoked\n/,
    )
    const user = await call(world, `/api/v1/paywall/${world.paywall.id}/user?email=a@b.co`, { key: world.key })
    expect(user.status).toBe(401)
  })

  test('does not ask for confirmation if no change is destructive', async () => {
    write({ keys: [{ name: 'second' }] }, [monthly({ label: 'Every month' }), yearly({ features: ['export'] })])
    const { new_secrets: secrets, ...applied } = await json(['apply', path])
    expect(secrets).toEqual([{ what: 'key second', secret: expect.stringMatching(/^pk_test_/) }])
    expect(applied).toEqual({
      changes: expect.arrayContaining([
        {
          what: `paywall ${world.paywall.id}: price monthly`,
          how: null,
          fields: [{ path: 'label', old: 'Each month', new: 'Every month' }],
          destructive: false,
          subscribers: null,
          sessions: null,
        },
      ]),
      warnings: [],
      other_paywalls: [],
      versions: [
        { paywall: world.paywall.id, version: expect.stringMatching(/^sha256:/), countries: null },
        { paywall: world.paywall.id, version: expect.stringMatching(/^sha256:/), countries: ['IN'] },
      ],
    })
  })
})
