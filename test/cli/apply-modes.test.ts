import { afterAll, describe, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { openApplying } from '../support/applying.ts'
import { environment } from '../support/sample-paywall-file.ts'
import { until } from '../support/until.ts'

const { query, someOwner, databaseUrl, close } = await openApplying()
afterAll(close)

const LIVE = {
  acquiring: 'stripe',
  credentials: { secretKey: 'env:STRIPE_LIVE_KEY', webhookSecret: 'env:STRIPE_WEBHOOK' },
}
const asLive = { 'paywalls[0].test': false, 'paywalls[0].processor': LIVE, 'webhooks[0].test': true }

describe('the mode of a paywall', () => {
  const join = `with person as (
      insert into users (owner_id, is_test) select owner_id, is_test from paywalls where id = $1 returning *)
    insert into members (paywall_id, user_id, owner_id, is_test) select $1, id, owner_id, is_test from person`
  const isTest = async (id: string) => (await query('select is_test from paywalls where id = $1', id))[0]!.is_test
  const refused = {
    messages: [
      'paywalls[0].test: this test paywall has users, so it cannot become live: add another paywall for live payments',
    ],
  }

  test('can be changed, and changed back, while the paywall has no members', async () => {
    const { id, apply } = someOwner()
    await apply()
    await apply(asLive)
    expect(await isTest(id)).toBe(false)
    await apply()
    expect(await isTest(id)).toBe(true)
  })

  test('cannot be changed from test to live once the paywall has a member: plan and apply refuse', async () => {
    const { id, apply, plan } = someOwner()
    await apply()
    await query(join, id)
    await expect(plan(asLive)).rejects.toMatchObject(refused)
    await expect(apply(asLive)).rejects.toMatchObject(refused)
    expect(await isTest(id)).toBe(true)
  })

  test('cannot be changed from live to test once the paywall has a member', async () => {
    const { id, apply } = someOwner()
    await apply(asLive)
    await query(join, id)
    await expect(apply()).rejects.toMatchObject({
      messages: [
        'paywalls[0].test: this live paywall has users, so it cannot become a test paywall: add another paywall for tests',
      ],
    })
  })

  test('is not changed by an apply if the first member joins while the apply waits', async () => {
    const { id, apply } = someOwner()
    await apply()
    await withClient(databaseUrl, async (client) => {
      await client.query('begin')
      await client.query(join, [id])
      const applied = apply(asLive).catch((error: unknown) => error)
      await until('the apply to wait for a lock', async () => {
        const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        return (await query(waiting)).length
      })
      await client.query('commit')
      expect(await applied).toMatchObject(refused)
    })
    expect(await isTest(id)).toBe(true)
  })
})

describe('one URL as a webhook for both modes', () => {
  const url = 'https://owner.example/webhooks'
  const [one, other] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`)
  const both = {
    'webhooks[0]': { url, test: true, secret: one },
    'webhooks[1]': { url, test: false, secret: 'env:WEBHOOK_SECRET' },
  }
  const getEndpoints = (id: string) =>
    query<{ is_test: boolean; enabled: boolean; secret: string; events: string[] }>(
      `select is_test, disabled_at is null as enabled, secret, events from webhook_endpoints
       where owner_id = (select owner_id from paywalls where id = $1) order by is_test desc`,
      id,
    )

  test('creates two webhook endpoints, each with its own secret', async () => {
    expect(environment.WEBHOOK_SECRET).not.toBe(one)
    const { id, apply } = someOwner()
    const { changes } = await apply(both)
    expect(changes.map(({ what }) => what)).toEqual(
      expect.arrayContaining([`test webhook ${url}`, `live webhook ${url}`]),
    )
    const endpoints = await getEndpoints(id)
    expect(endpoints).toMatchObject([
      { is_test: true, enabled: true },
      { is_test: false, enabled: true },
    ])
    expect((await apply(both)).changes).toEqual([])
  })

  test('can be changed in one mode without affecting the other', async () => {
    const { id, apply } = someOwner()
    await apply(both)
    const [, live] = await getEndpoints(id)
    await apply({ ...both, 'webhooks[0]': { url, test: true, secret: other, events: ['payment.failed'] } })
    expect((await getEndpoints(id))[1]).toEqual(live)
    await apply({ 'webhooks[0]': both['webhooks[1]'] })
    expect(await getEndpoints(id)).toMatchObject([{ is_test: true, enabled: false }, live])
  })
})
