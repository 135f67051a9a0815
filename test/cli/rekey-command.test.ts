import { beforeEach, expect, test } from 'vitest'
import { applyFile } from '../../cli/apply/apply.ts'
import { openKysely, withClient } from '../../cli/database.ts'
import { seal, unseal } from '../../lib/crypto/seal.ts'
import { newKey } from '../support/deployed.ts'
import { paywall } from '../support/paywall.ts'
import { type Changes, paywallFile } from '../support/sample-paywall-file.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ file: { webhooks: [] } })
const [newer, older] = [generateKeys(), generateKeys()]
const both = {
  PROCESSOR_CREDENTIALS_KEY: `${newer.PROCESSOR_CREDENTIALS_KEY},${older.PROCESSOR_CREDENTIALS_KEY}`,
  WEBHOOK_SECRETS_KEY: `${newer.WEBHOOK_SECRETS_KEY},${older.WEBHOOK_SECRETS_KEY}`,
  TURNSTILE_SECRETS_KEY: `${newer.TURNSTILE_SECRETS_KEY},${older.TURNSTILE_SECRETS_KEY}`,
}

function generateKeys() {
  return { PROCESSOR_CREDENTIALS_KEY: newKey(), WEBHOOK_SECRETS_KEY: newKey(), TURNSTILE_SECRETS_KEY: newKey() }
}

type Keys = ReturnType<typeof generateKeys>

/** Each test starts without secrets in the database. */
beforeEach(() =>
  world.database.query('delete from processor_accounts; delete from webhook_endpoints; delete from turnstile_keys'),
)

const apply = async (keys: Keys, changes: Changes = {}) =>
  applyFile(openKysely(world.database), await paywallFile(changes), {
    processorCredentialsKey: keys.PROCESSOR_CREDENTIALS_KEY,
    webhookSecretsKey: keys.WEBHOOK_SECRETS_KEY,
    turnstileSecretsKey: keys.TURNSTILE_SECRETS_KEY,
  })

const rekey = (keys: Keys) => paywall(world, ['rekey'], keys)

/** Every secret in the database, decrypted with these keys. */
async function decryptAll(keys: Keys): Promise<string[]> {
  const accounts = await world.database.query('select * from processor_accounts order by acquiring')
  const webhooks = await world.database.query('select * from webhook_endpoints order by url')
  const turnstile = await world.database.query('select * from turnstile_keys order by paywall_id')
  return Promise.all([
    ...accounts.rows.map((row) =>
      unseal(row.credentials, keys.PROCESSOR_CREDENTIALS_KEY, `processor:${row.paywall_id}:${row.acquiring}`),
    ),
    ...webhooks.rows.flatMap(({ url, secret, previous_secret }) =>
      [secret, previous_secret]
        .filter((sealed) => sealed !== null)
        .map((sealed) => unseal(sealed, keys.WEBHOOK_SECRETS_KEY, `webhook:${url}`)),
    ),
    ...turnstile.rows.map((row) => unseal(row.secret_key, keys.TURNSTILE_SECRETS_KEY, `turnstile:${row.paywall_id}`)),
  ])
}

const MOLLIE = {
  'paywalls[0].processor': { acquiring: 'mollie', credentials: { apiKey: 'test_1234567890', webhookSecret: 'mollie' } },
  'paywalls[0].prices': [{ slug: 'once', label: 'Once', currency: 'EUR', amount: 5, processorPrice: 'Once' }],
}
const TURNSTILE = { 'paywalls[0].turnstile': { siteKey: '0x4site', secretKey: '0x4secret' } }
const whsec = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`

test('re-encrypts all secrets, including accounts of a former processor and previous webhook secrets', async () => {
  await apply(older)
  await apply(older, { ...MOLLIE, ...TURNSTILE, 'webhooks[0].secret': whsec(7) })
  const secrets = await decryptAll(older)
  expect(secrets).toHaveLength(5)

  expect(await rekey(both)).toEqual({
    code: 0,
    out: 'Done: re-encrypted the credentials of 2 processor accounts, re-encrypted 2 webhook secrets, re-encrypted 1 Turnstile secret keys.\n',
    err: '',
  })
  expect(await decryptAll(newer)).toEqual(secrets)
  await expect(decryptAll(older)).rejects.toThrow('the ciphertext is encrypted with the key')
  expect(await rekey(both)).toEqual({
    code: 0,
    out: 'Nothing to re-encrypt: every secret that can be decrypted already uses the first key.\n',
    err: '',
  })
})

test('a ciphertext without a key id cannot be decrypted', async () => {
  await apply(older)
  await world.database.query(`update processor_accounts set credentials = split_part(credentials, '.', 2)`)
  await expect(decryptAll(older)).rejects.toThrow('the ciphertext has no key id')
})

test('names the secrets that no key decrypts without printing them, and re-encrypts the rest', async () => {
  await apply(older)
  const { rows } = await world.database.query('select url from webhook_endpoints')
  const url = rows[0].url
  const others = generateKeys()
  await world.database.query(
    `update webhook_endpoints set previous_secret = $1, previous_secret_until = now() + interval '1 hour'`,
    [await seal(whsec(9), others.WEBHOOK_SECRETS_KEY, `webhook:${url}`)],
  )
  await world.database.query('update processor_accounts set credentials = $1', [
    await seal('{"secretKey":"sk_test_hidden"}', others.PROCESSOR_CREDENTIALS_KEY, 'processor:1001:stripe'),
  ])
  const { code, out, err } = await rekey(both)
  expect({ code, out }).toEqual({ code: 1, out: 'Done: re-encrypted 1 webhook secrets.\n' })
  expect(err.trimEnd().split('\n')).toEqual([
    'paywall: paywall 1001: no key decrypts its stripe credentials',
    `paywall: test webhook ${url}: no key decrypts its previous secret`,
    'paywall: add the key that encrypted these secrets, or apply the paywall file that contains them',
  ])
})

test('removes a webhook secret that was replaced over a day ago', async () => {
  await apply(older)
  await apply(older, { 'webhooks[0].secret': whsec(7) })
  await world.database.query(`update webhook_endpoints set previous_secret_until = now() - interval '1 second'`)
  expect(await rekey(both)).toMatchObject({
    out:
      'Done: re-encrypted the credentials of 1 processor accounts, re-encrypted 1 webhook secrets, ' +
      'removed 1 webhook secrets that were replaced over a day ago.\n',
  })
  const { rows } = await world.database.query('select previous_secret, previous_secret_until from webhook_endpoints')
  expect(rows).toEqual([{ previous_secret: null, previous_secret_until: null }])
})

test('waits for a running apply, and re-encrypts what it has written', async () => {
  await apply(older)
  await withClient(world.databaseUrl, async (client) => {
    await client.query('begin')
    // Take the lock of an apply, and write as it would.
    await client.query("select pg_advisory_xact_lock(hashtextextended('paywall apply owner@example.com', 0))")
    const rekeying = rekey(both)
    await until('rekey to wait for the lock', async () => {
      const { rowCount } = await world.database.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount
    })
    const { rows } = await client.query('select url from webhook_endpoints')
    const sealed = await seal(whsec(7), older.WEBHOOK_SECRETS_KEY, `webhook:${rows[0].url}`)
    await client.query('update webhook_endpoints set secret = $1', [sealed])
    await client.query('commit')
    expect(await rekeying).toMatchObject({ code: 0, err: '' })
  })
  expect(await decryptAll(newer)).toContain(whsec(7))
})

test('leaves nothing encrypted with the old key, even if the same file is being applied', async () => {
  await apply(older)
  const changes = (round: number) => ({ 'webhooks[0].events': round % 2 === 0 ? ['*'] : ['payment.succeeded'] })
  const applying = async () => {
    for (let round = 0; round < 40; round++) await apply(both, changes(round))
  }
  const [rekeyed] = await Promise.all([rekey(both), applying()])
  expect(rekeyed).toMatchObject({ code: 0, err: '' })
  expect(await decryptAll(newer)).toHaveLength(2)
})

test.each<[string, string[], Record<string, string>, RegExp]>([
  [
    'three keys',
    ['rekey'],
    { WEBHOOK_SECRETS_KEY: `${newKey()},${newKey()},${newKey()}` },
    /must be 32 bytes in base64url, or two/,
  ],
  [
    'an invalid second key',
    ['rekey'],
    { WEBHOOK_SECRETS_KEY: `${newKey()},abc` },
    /must be 32 bytes in base64url, or two/,
  ],
])('refuses %s', async (_what, args, variables, sentence) => {
  const { code, out, err } = await paywall(world, args, variables)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(sentence)
})
