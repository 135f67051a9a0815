import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { applyFile } from '../../cli/apply/apply.ts'
import { unseal } from '../../lib/crypto/seal.ts'
import { openApplying } from '../support/applying.ts'
import type { Changes } from '../support/sample-paywall-file.ts'

const { db, sealing, query, getPrices, getKeys, getWebhookEndpoints, appliedRows, someOwner, close } =
  await openApplying()
const price = 'paywalls[0].prices[0]'

afterAll(close)

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

  test('writes more prices than fit into one statement', async () => {
    const { id, file, apply } = someOwner()
    const prices = Array.from({ length: 5_100 }, (_, index) => ({
      slug: `price-${index}`,
      label: 'Label',
      currency: 'USD',
      amount: index,
      processorPrice: 'price',
    }))
    const { changes } = await apply({ 'paywalls[0].prices': prices })
    expect(changes.filter(({ what }) => what.startsWith(`paywall ${id}: price`))).toHaveLength(prices.length)
    expect((await getPrices(id)).map(({ slug }) => slug)).toEqual(prices.map(({ slug }) => slug))
    await applyFile(db, { ...(await file()), paywalls: [{ ...(await file()).paywalls[0]!, prices: [] }] }, sealing)
    expect((await getPrices(id)).filter(({ retired }) => !retired)).toEqual([])
  })

  test('the same file again changes nothing', async () => {
    const { apply, plan } = someOwner()
    const keys = { keys: [{ name: 'made' }], 'webhooks[0].secret': undefined, 'keys[0].secret': undefined }
    expect((await apply(keys)).newSecrets).toHaveLength(2)
    const before = await appliedRows()
    expect(await apply(keys)).toEqual({ changes: [], warnings: [], otherPaywalls: [], newSecrets: [] })
    expect((await plan(keys)).changes).toEqual([])
    expect(await appliedRows()).toEqual(before)
  })

  test('makes exactly the changes that plan prints, and plan itself writes nothing', async () => {
    const { apply, plan } = someOwner()
    const before = await appliedRows()
    const planned = await plan()
    expect(planned.changes.length).toBeGreaterThan(4)
    expect(await appliedRows()).toEqual(before)
    expect((await apply()).changes).toEqual(planned.changes)
  })

  test('the same file eight times at once writes it once', async () => {
    const { id, apply } = someOwner()
    const eightTimes = (changes: Changes) => Promise.all(Array.from({ length: 8 }, () => apply(changes)))
    const first = await eightTimes({ 'keys[0].secret': undefined, webhooks: [] })
    expect(first.filter(({ changes }) => changes.length > 0)).toHaveLength(1)
    expect(first.flatMap(({ newSecrets }) => newSecrets)).toHaveLength(1)
    expect(await getKeys(id)).toHaveLength(1)

    const second = await eightTimes({ 'keys[0].secret': undefined, 'webhooks[0].secret': undefined })
    const [newSecret, ...more] = second.flatMap(({ newSecrets }) => newSecrets)
    expect(more).toEqual([])
    const [webhookEndpoint] = await getWebhookEndpoints(id)
    expect(await unseal(webhookEndpoint!.secret, sealing.webhookSecretsKey, `webhook:${webhookEndpoint?.url}`)).toBe(
      newSecret?.secret,
    )
  })

  test('does not change paywalls that are not in the file', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [before] = await query('select * from paywalls where id = $1', id)
    const other = { 'paywalls[0].id': `${id}1`, 'paywalls[0].domain': null }
    expect((await apply(other)).otherPaywalls).toEqual([id])
    expect(await query('select * from paywalls where id = $1', id)).toEqual([before])
  })

  test('writes nothing at all if the last statement fails', async () => {
    const { id, apply } = someOwner()
    await apply()
    const before = await appliedRows()
    await query(`alter table prices add constraint broken check (label <> 'Broken ${id}')`)
    const changes = { 'paywalls[0].name': 'Other', 'keys[0].name': 'other', [`${price}.label`]: `Broken ${id}` }
    await expect(apply(changes)).rejects.toThrow('broken')
    await query('alter table prices drop constraint broken')
    expect(await appliedRows()).toEqual(before)
  })
})

describe('prices', () => {
  test('get a new id when the amount changes, and the old price is retired', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [monthly, lifetime] = await getPrices(id)
    await apply({ [`${price}.amount`]: 10.99 })
    const edited = await getPrices(id)
    expect(edited).toContainEqual({ ...monthly, retired: true })
    expect(edited).toContainEqual(lifetime)
    expect(edited.filter(({ slug, retired }) => slug === 'monthly' && !retired)).toHaveLength(1)

    await apply()
    expect((await getPrices(id)).filter(({ retired }) => !retired)).toEqual([monthly, lifetime])
  })

  test('keep their id when the label or the order changes', async () => {
    const { id, file, apply } = someOwner()
    await apply()
    const [monthly, lifetime] = await getPrices(id)
    await apply({ [`${price}.label`]: 'Each month', [`${price}.tokens`]: [] })
    expect(await getPrices(id)).toEqual([{ ...monthly, label: 'Each month' }, lifetime])

    const reversed = await file()
    reversed.paywalls[0]!.prices.reverse()
    await applyFile(db, reversed, sealing)
    expect((await getPrices(id)).map(({ slug }) => slug)).toEqual(['lifetime', 'monthly'])
  })
})

describe("another owner's data", () => {
  test.each([
    ['a paywall', ['paywalls[0].id'], 'paywalls[0].id: belongs to another owner'],
    ['a domain', ['paywalls[0].domain'], 'paywalls[0].domain: is used by a paywall of another owner'],
    ['a key', ['keys[0].secret'], 'keys[0].secret: belongs to another owner'],
  ])('cannot be claimed, and nothing is written: %s', async (_what, paths, message) => {
    const [one, other] = [someOwner(), someOwner()]
    await one.apply()
    const before = await appliedRows()
    const taken = Object.fromEntries(paths.map((path) => [path, one.own[path]]))
    await expect(other.plan(taken)).rejects.toMatchObject({ messages: [message] })
    await expect(other.apply(taken)).rejects.toMatchObject({ messages: [message] })
    expect(await appliedRows()).toEqual(before)
  })

  test('cannot be claimed by a concurrent apply either, which fails with the same error', async () => {
    const reasons = {
      'paywalls[0].id': 'belongs to another owner',
      'paywalls[0].domain': 'is used by a paywall of another owner',
      'keys[0].secret': 'belongs to another owner',
    }
    for (const [path, reason] of Object.entries(reasons)) {
      const [one, other] = [someOwner(), someOwner()]
      const results = await Promise.allSettled([one.apply(), other.apply({ [path]: one.own[path] })])
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused).toHaveLength(1)
      expect(refused[0]?.reason.messages).toEqual([`${path}: ${reason}`])
    }
  })

  test('does not change: a webhook endpoint with the same URL, and a key with the same name', async () => {
    const [one, other] = [someOwner(), someOwner()]
    await one.apply()
    await other.apply()
    const readOther = async () => [await getWebhookEndpoints(other.id), await getKeys(other.id)]
    const before = await readOther()
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    await one.apply({ 'webhooks[0].secret': secret, 'webhooks[0].events': ['payment.failed'] })
    await one.apply({ webhooks: [], keys: [] })
    expect([await getWebhookEndpoints(one.id), await getKeys(one.id)]).toMatchObject([
      [{ enabled: false }],
      [{ valid: false }],
    ])
    expect(await readOther()).toEqual(before)
    expect(before).toMatchObject([[{ enabled: true }], [{ valid: true }]])
  })

  test('is not involved when paywalls in the file swap domains; a domain of one that is not in the file is refused', async () => {
    const { id, file, apply } = someOwner()
    await apply()
    await expect(apply({ 'paywalls[0].id': `${id}1` })).rejects.toMatchObject({
      messages: [`paywalls[0].domain: is used by paywall ${id}, which is not in this file`],
    })
    const [first] = (await file()).paywalls
    const second = { ...first!, id: `${id}2`, domain: `other-${id}.example`, prices: [] }
    const both = (domains: [string, string]) => [
      { ...first!, domain: domains[0] },
      { ...second, domain: domains[1] },
    ]
    const applyBoth = async (domains: [string, string]) =>
      applyFile(db, { ...(await file()), paywalls: both(domains) }, sealing)
    await applyBoth([first!.domain!, second.domain])
    await applyBoth([second.domain, first!.domain!])
    expect(await query('select domain from paywalls where id = any ($1) order by id', [id, second.id])).toEqual([
      { domain: second.domain },
      { domain: first!.domain },
    ])
  })
})
