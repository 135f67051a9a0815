import { afterAll, describe, expect, test } from 'vitest'
import { applyFile } from '../../cli/apply/apply.ts'
import { changeText } from '../../cli/apply/changes-text.ts'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { sha256Hex } from '../../lib/crypto/crypto.ts'
import { unseal } from '../../lib/crypto/seal.ts'
import { openApplying } from '../support/applying.ts'
import { environment } from '../support/sample-paywall-file.ts'

const { db, sealing, query, getKeys, getWebhookEndpoints, appliedRows, someOwner, close } = await openApplying()

afterAll(close)

describe('keys', () => {
  test('with a changed secret are created again, and the old ones are revoked', async () => {
    const { id, own, apply } = someOwner()
    const [first, second] = [String(own['keys[0].secret']), `pk_test_second_${id.padStart(16, '0')}`]
    await apply()
    await apply({ 'keys[0].secret': second })
    expect(await getKeys(id)).toEqual([
      { name: 'backend', key_hash: await sha256Hex(first), valid: false },
      { name: 'backend', key_hash: await sha256Hex(second), valid: true },
    ])
    await apply()
    expect((await getKeys(id)).map(({ valid }) => valid)).toEqual([true, false])
  })

  test('can swap names, and are revoked when they are removed from the file', async () => {
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
    const valid = () => getKeys(id).then((keys) => keys.filter((key) => key.valid))
    expect(Object.fromEntries((await valid()).map(({ name, key_hash }) => [name, key_hash]))).toEqual({
      a: hashes[0],
      b: hashes[1],
    })
    await apply({ keys: [{ name: 'b' }], 'keys[0].secret': one })
    expect((await valid()).map(({ name }) => name)).toEqual(['b'])
  })

  test('without a secret get a generated one, which is shown once and stored as a hash', async () => {
    const { id, apply } = someOwner()
    const { newSecrets } = await apply({ 'keys[0].secret': undefined })
    expect(newSecrets).toEqual([{ what: 'key backend', secret: expect.stringMatching(/^pk_test_[0-9a-f]{64}$/) }])
    expect(await getKeys(id)).toEqual([
      { name: 'backend', key_hash: await sha256Hex(newSecrets[0]!.secret), valid: true },
    ])
  })
})

describe('webhooks', () => {
  test('store their secret encrypted; after a change the old one also signs for 24 hours', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [before] = await getWebhookEndpoints(id)
    const context = `webhook:${before?.url}`
    expect(await unseal(before!.secret, sealing.webhookSecretsKey, context)).toBe(environment.WEBHOOK_SECRET)

    const secret = `whsec_${Buffer.alloc(32, id).toString('base64')}`
    await apply({ 'webhooks[0].secret': secret })
    const [after] = await getWebhookEndpoints(id)
    expect(after).toMatchObject({ previous_secret: before?.secret, signs_twice: true, enabled: true })
    expect(await unseal(after!.secret, sealing.webhookSecretsKey, context)).toBe(secret)
  })

  test('are disabled when they are removed from the file, and enabled when they are added again', async () => {
    const { id, apply } = someOwner()
    await apply()
    const [before] = await getWebhookEndpoints(id)
    await apply({ webhooks: [] })
    expect(await getWebhookEndpoints(id)).toEqual([{ ...before, enabled: false }])
    await apply()
    expect(await getWebhookEndpoints(id)).toEqual([before])
  })
})

describe('processor credentials', () => {
  test('are stored encrypted only, and can be decrypted for their own paywall only', async () => {
    const { id, apply } = someOwner()
    await apply()
    expect(JSON.stringify(await appliedRows())).not.toMatch(/sk_test_123|whsec_stripe|pk_test_/)
    const [account] = await query<{ credentials: string }>(
      'select credentials from processor_accounts where paywall_id = $1',
      id,
    )
    const decrypt = (paywall: string) =>
      unseal(account!.credentials, sealing.processorCredentialsKey, `processor:${paywall}:stripe`)
    expect(JSON.parse(await decrypt(id))).toEqual({ secretKey: 'sk_test_123', webhookSecret: 'whsec_stripe' })
    await expect(decrypt('7')).rejects.toThrow()
  })

  test('are encrypted again when they change, or when the key changes', async () => {
    const { id, file, apply } = someOwner()
    await apply()
    const { changes } = await apply({ 'paywalls[0].processor.credentials.secretKey': 'sk_test_456' })
    expect(changes.map(changeText)).toEqual([`paywall ${id}: other stripe credentials`])
    const { PROCESSOR_CREDENTIALS_KEY: processorCredentialsKey } = await makeSecrets()
    const applied = await applyFile(db, await file(), { ...sealing, processorCredentialsKey })
    expect(applied.changes.map(changeText)).toEqual([`paywall ${id}: other stripe credentials`])
  })
})

describe('Turnstile keys', () => {
  const keys = (secretKey: string) => ({ 'paywalls[0].turnstile': { siteKey: '0x4site', secretKey } })
  const getSecret = async (id: string) => {
    const rows = await query<{ secret_key: string }>('select secret_key from turnstile_keys where paywall_id = $1', id)
    return rows.map(({ secret_key }) => secret_key)
  }

  test('are stored encrypted, and can be decrypted for their own paywall only', async () => {
    const { id, apply } = someOwner()
    const { changes } = await apply(keys('0x4secret-one'))
    expect(changes.map(changeText)).toContain(`paywall ${id}: new Turnstile keys`)
    expect(JSON.stringify(await appliedRows())).not.toContain('0x4secret')
    const [sealed = ''] = await getSecret(id)
    expect(await unseal(sealed, sealing.turnstileSecretsKey, `turnstile:${id}`)).toBe('0x4secret-one')
    await expect(unseal(sealed, sealing.turnstileSecretsKey, 'turnstile:7')).rejects.toThrow()
  })

  test('are stored again when they change, or when the key changes, and deleted when they are removed from the file', async () => {
    const { id, apply, file } = someOwner()
    await apply(keys('0x4secret-one'))
    expect((await apply(keys('0x4secret-one'))).changes).toEqual([])
    expect((await apply(keys('0x4secret-two'))).changes.map(changeText)).toEqual([
      `paywall ${id}: other Turnstile keys`,
    ])
    const { TURNSTILE_SECRETS_KEY: turnstileSecretsKey } = await makeSecrets()
    const rekeyed = await applyFile(db, await file(keys('0x4secret-two')), { ...sealing, turnstileSecretsKey })
    expect(rekeyed.changes.map(changeText)).toEqual([`paywall ${id}: other Turnstile keys`])
    expect((await apply()).changes.map(changeText)).toEqual([`paywall ${id}: no Turnstile keys any more`])
    expect(await getSecret(id)).toEqual([])
  })
})
