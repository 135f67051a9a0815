import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyFile, planFile } from '../cli/apply.ts'
import { makeSecrets } from '../dev/secrets.ts'
import { sha256Hex, unseal } from '../lib/crypto.ts'
import { freshDatabase } from './support/world.ts'
import { type Changes, environment, paywallFile } from './support/written-file.ts'

const { PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY } = await makeSecrets()
const sealing = { processorCredentialsKey: PROCESSOR_CREDENTIALS_KEY, webhookSecretsKey: WEBHOOK_SECRETS_KEY }
const price = 'paywalls[0].prices[0]'

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await freshDatabase() })
})
afterAll(() => pool.end())

/** An owner with a file of its own, so that tests do not meet. */
function someOwner() {
  const id = String(BigInt(`0x${randomUUID().slice(0, 8)}`))
  const own: Changes = {
    'owner.email': `${id}@example.com`,
    'paywalls[0].id': id,
    'paywalls[0].domain': `pay-${id}.example`,
    'keys[0].secret': `pk_test_${id.padStart(16, '0')}`,
  }
  const file = (changes: Changes = {}) => paywallFile({ ...own, ...changes })
  const apply = async (changes: Changes = {}) => applyFile(pool, await file(changes), sealing)
  const plan = async (changes: Changes = {}) => planFile(pool, await file(changes), sealing)
  return { id, own, file, apply, plan }
}

async function query<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>(text, values)).rows
}

/** Every row of every table that apply writes. */
async function everything(): Promise<unknown> {
  const tables = ['owners', 'api_keys', 'webhook_endpoints', 'paywalls', 'processor_accounts', 'prices']
  const rows = tables.map((table) => query(`select * from ${table} t order by t::text`))
  return Promise.all(rows)
}

const pricesOf = (id: string) =>
  query<{ id: string; slug: string; retired: boolean; label: string }>(
    'select id, slug, label, retired_at is not null as retired from prices where paywall_id = $1 order by position, id',
    id,
  )

const keysOf = (id: string) =>
  query<{ name: string; key_hash: string; valid: boolean }>(
    `select name, key_hash, revoked_at is null as valid from api_keys
     where owner_id = (select owner_id from paywalls where id = $1) order by created_at, name`,
    id,
  )

const endpointsOf = (id: string) =>
  query<{ url: string; secret: string; previous_secret: string | null; signs_twice: boolean; enabled: boolean }>(
    `select url, secret, previous_secret, disabled_at is null as enabled,
       coalesce(previous_secret_until between now() + '23 hours' and now() + '24 hours', false) as signs_twice
     from webhook_endpoints where owner_id = (select owner_id from paywalls where id = $1) order by url`,
    id,
  )

describe('applying', () => {
  test('writes the whole file', async () => {
    const { id, file, apply } = someOwner()
    await apply()
    const [paywall] = await query('select * from paywalls where id = $1', id)
    const { settings, geo, layout, offers, locales } = (await file()).paywalls[0]!
    const domain = `pay-${id}.example`
    expect(paywall).toMatchObject({ name: 'Acme', is_test: true, domain, settings, geo, layout, offers, locales })
    const [monthly, lifetime] = await query('select * from prices where paywall_id = $1 order by position', id)
    expect(monthly).toMatchObject({
      slug: 'monthly',
      amount: '999',
      interval: 'month',
      trial_days: 7,
      retired_at: null,
    })
    expect(lifetime).toMatchObject({ slug: 'lifetime', amount: '30000', interval: null, interval_count: null })
    expect(monthly?.locals).toEqual([
      { countries: ['IN'], currency: 'INR', amount: 39900, processor_price: 'price_monthly_inr' },
      { tier: 2, currency: 'BRL', amount: 2500, processor_price: 'price_monthly_brl' },
    ])
  })

  test('again changes nothing, to the byte', async () => {
    const { apply, plan } = someOwner()
    const keys = { keys: [{ name: 'made' }], 'webhooks[0].secret': undefined, 'keys[0].secret': undefined }
    expect((await apply(keys)).made).toHaveLength(2)
    const before = await everything()
    expect(await apply(keys)).toEqual({ changes: [], made: [], leftAlone: [] })
    expect((await plan(keys)).changes).toEqual([])
    expect(await everything()).toEqual(before)
  })

  test('is planned in the same words, and planning writes nothing', async () => {
    const { apply, plan } = someOwner()
    const before = await everything()
    const planned = await plan()
    expect(planned.changes.length).toBeGreaterThan(4)
    expect(await everything()).toEqual(before)
    expect((await apply()).changes.map(withoutSecrets)).toEqual(planned.changes.map(withoutSecrets))
  })

  test('eight copies at once writes the file once', async () => {
    const { id, apply } = someOwner()
    const eightTimes = (changes: Changes) => Promise.all(Array.from({ length: 8 }, () => apply(changes)))
    const first = await eightTimes({ 'keys[0].secret': undefined, webhooks: [] })
    expect(first.filter(({ changes }) => changes.length > 0)).toHaveLength(1)
    expect(first.flatMap(({ made }) => made)).toHaveLength(1)
    expect(await keysOf(id)).toHaveLength(1)

    const second = await eightTimes({ 'keys[0].secret': undefined, 'webhooks[0].secret': undefined })
    const [made, ...more] = second.flatMap((applied) => applied.made)
    expect(more).toEqual([])
    const [endpoint] = await endpointsOf(id)
    expect(await unseal(endpoint!.secret, WEBHOOK_SECRETS_KEY, `webhook:${endpoint?.url}`)).toBe(made?.secret)
  })

  test('leaves paywalls alone that the file does not name', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [before] = await query('select * from paywalls where id = $1', id)
    const other = { 'paywalls[0].id': `${id}1`, 'paywalls[0].domain': null }
    expect((await apply(other)).leftAlone).toEqual([id])
    expect(await query('select * from paywalls where id = $1', id)).toEqual([before])
  })

  test('writes nothing at all if the last statement fails', async () => {
    const { id, apply } = someOwner()
    await apply()
    const before = await everything()
    await query(`alter table prices add constraint broken check (label <> 'Broken ${id}')`)
    const changes = { 'paywalls[0].name': 'Other', 'keys[0].name': 'other', [`${price}.label`]: `Broken ${id}` }
    await expect(apply(changes)).rejects.toThrow('broken')
    await query('alter table prices drop constraint broken')
    expect(await everything()).toEqual(before)
  })
})

describe('prices', () => {
  test('get a new id when what is sold changes, and the old one retires', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [monthly, lifetime] = await pricesOf(id)
    await apply({ [`${price}.amount`]: 10.99 })
    const edited = await pricesOf(id)
    expect(edited).toContainEqual({ ...monthly, retired: true })
    expect(edited).toContainEqual(lifetime)
    expect(edited.filter(({ slug, retired }) => slug === 'monthly' && !retired)).toHaveLength(1)

    await apply()
    expect((await pricesOf(id)).filter(({ retired }) => !retired)).toEqual([monthly, lifetime])
  })

  test('keep their id under another label and in another place', async () => {
    const { id, file, apply } = someOwner()
    await apply()
    const [monthly, lifetime] = await pricesOf(id)
    await apply({ [`${price}.label`]: 'Each month', [`${price}.tokens`]: [] })
    expect(await pricesOf(id)).toEqual([{ ...monthly, label: 'Each month' }, lifetime])

    const turned = await file()
    turned.paywalls[0]!.prices.reverse()
    await applyFile(pool, turned, sealing)
    expect((await pricesOf(id)).map(({ slug }) => slug)).toEqual(['lifetime', 'monthly'])
  })
})

describe('keys', () => {
  test('with another secret are new ones, and the old secret is revoked', async () => {
    const { id, own, apply } = someOwner()
    const [first, second] = [String(own['keys[0].secret']), `pk_test_second_${id.padStart(16, '0')}`]
    await apply()
    await apply({ 'keys[0].secret': second })
    expect(await keysOf(id)).toEqual([
      { name: 'backend', key_hash: await sha256Hex(first), valid: false },
      { name: 'backend', key_hash: await sha256Hex(second), valid: true },
    ])
    await apply()
    expect((await keysOf(id)).map(({ valid }) => valid)).toEqual([true, false])
  })

  test('swap names, and go when the file does not name them', async () => {
    const { id, apply } = someOwner()
    const [one, two] = [`pk_test_one_${id.padStart(16, '0')}`, `pk_test_two_${id.padStart(16, '0')}`]
    await apply({
      keys: [
        { name: 'a', secret: one },
        { name: 'b', secret: two },
      ],
      'keys[0].secret': one,
    })
    await apply({
      keys: [
        { name: 'a', secret: two },
        { name: 'b', secret: one },
      ],
      'keys[0].secret': two,
    })
    const hashes = await Promise.all([two, one].map(sha256Hex))
    const valid = () => keysOf(id).then((keys) => keys.filter((key) => key.valid))
    expect(Object.fromEntries((await valid()).map(({ name, key_hash }) => [name, key_hash]))).toEqual({
      a: hashes[0],
      b: hashes[1],
    })
    await apply({ keys: [{ name: 'b' }], 'keys[0].secret': one })
    expect((await valid()).map(({ name }) => name)).toEqual(['b'])
  })

  test('without a secret are made, shown once, and stored as a hash', async () => {
    const { id, apply } = someOwner()
    const { made } = await apply({ 'keys[0].secret': undefined })
    expect(made).toEqual([{ what: 'key backend', secret: expect.stringMatching(/^pk_test_[0-9a-f]{64}$/) }])
    expect(await keysOf(id)).toEqual([{ name: 'backend', key_hash: await sha256Hex(made[0]!.secret), valid: true }])
  })
})

describe('webhooks', () => {
  test('keep their secret sealed, and with another one the old signs too for 24 hours', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [before] = await endpointsOf(id)
    const context = `webhook:${before?.url}`
    expect(await unseal(before!.secret, WEBHOOK_SECRETS_KEY, context)).toBe(environment.WEBHOOK_SECRET)

    const secret = `whsec_${Buffer.alloc(32, id).toString('base64')}`
    await apply({ 'webhooks[0].secret': secret })
    const [after] = await endpointsOf(id)
    expect(after).toMatchObject({ previous_secret: before?.secret, signs_twice: true, enabled: true })
    expect(await unseal(after!.secret, WEBHOOK_SECRETS_KEY, context)).toBe(secret)
  })

  test('are disabled when the file does not name them, and enabled when it does', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [before] = await endpointsOf(id)
    await apply({ webhooks: [] })
    expect(await endpointsOf(id)).toEqual([{ ...before, enabled: false }])
    await apply()
    expect(await endpointsOf(id)).toEqual([before])
  })
})

describe('processor credentials', () => {
  test('are in no column in plain text, and open with the key for their paywall only', async () => {
    const { id, apply } = someOwner()
    await apply()
    expect(JSON.stringify(await everything())).not.toMatch(/sk_test_123|whsec_stripe|pk_test_/)
    const [account] = await query<{ credentials: string }>(
      'select credentials from processor_accounts where paywall_id = $1',
      id,
    )
    const open = (paywall: string) =>
      unseal(account!.credentials, PROCESSOR_CREDENTIALS_KEY, `processor:${paywall}:stripe`)
    expect(JSON.parse(await open(id))).toEqual({ secretKey: 'sk_test_123', webhookSecret: 'whsec_stripe' })
    await expect(open('7')).rejects.toThrow()
  })

  test('are sealed anew when they change, or when the key does', async () => {
    const { id, file, apply } = someOwner()
    await apply()
    const { changes } = await apply({ 'paywalls[0].processor.credentials.secretKey': 'sk_test_456' })
    expect(changes).toEqual([`paywall ${id}: other stripe credentials`])
    const { PROCESSOR_CREDENTIALS_KEY: processorCredentialsKey } = await makeSecrets()
    const applied = await applyFile(pool, await file(), { ...sealing, processorCredentialsKey })
    expect(applied.changes).toEqual([`paywall ${id}: other stripe credentials`])
  })
})

describe('what another owner has', () => {
  test.each([
    ['a paywall', ['paywalls[0].id'], 'paywalls[0].id: is a paywall of another account'],
    ['a domain', ['paywalls[0].domain'], 'paywalls[0].domain: is taken by a paywall of another account'],
    ['a key', ['keys[0].secret'], 'keys[0].secret: is a key of another account'],
  ])('is refused, and nothing is written: %s', async (_what, members, message) => {
    const [one, other] = [someOwner(), someOwner()]
    await one.apply()
    const before = await everything()
    const taken = Object.fromEntries(members.map((member) => [member, one.own[member]]))
    await expect(other.plan(taken)).rejects.toMatchObject({ sentences: [message] })
    await expect(other.apply(taken)).rejects.toMatchObject({ sentences: [message] })
    expect(await everything()).toEqual(before)
  })

  test('is refused in the same words when both come at once', async () => {
    for (const member of ['paywalls[0].id', 'paywalls[0].domain', 'keys[0].secret']) {
      const [one, other] = [someOwner(), someOwner()]
      const results = await Promise.allSettled([one.apply(), other.apply({ [member]: one.own[member] })])
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused).toHaveLength(1)
      expect(refused[0]?.reason.sentences).toEqual([expect.stringContaining(`${member}: is`)])
    }
  })

  test('cannot be a domain of an own paywall outside the file, but paywalls of a file may swap theirs', async () => {
    const { id, file, apply } = someOwner()
    await apply()
    await expect(apply({ 'paywalls[0].id': `${id}1` })).rejects.toMatchObject({
      sentences: [`paywalls[0].domain: is taken by paywall ${id}, which is not in this file`],
    })
    const [first] = (await file()).paywalls
    const second = { ...first!, id: `${id}2`, domain: `other-${id}.example`, prices: [] }
    const both = (domains: [string, string]) => [
      { ...first!, domain: domains[0] },
      { ...second, domain: domains[1] },
    ]
    const applyBoth = async (domains: [string, string]) =>
      applyFile(pool, { ...(await file()), paywalls: both(domains) }, sealing)
    await applyBoth([first!.domain!, second.domain])
    await applyBoth([second.domain, first!.domain!])
    expect(await query('select domain from paywalls where id = any ($1) order by id', [id, second.id])).toEqual([
      { domain: second.domain },
      { domain: first!.domain },
    ])
  })
})

const withoutSecrets = (change: string) => change.replace(/ \(price_.*\)$/, '')
