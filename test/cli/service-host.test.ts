import { describe, expect, test } from 'vitest'
import { readPaywallFile } from '../../cli/paywall-file/file.ts'
import { paywall } from '../support/paywall.ts'
import { type Changes, environment, sampleFileText } from '../support/sample-paywall-file.ts'

const SERVICE = { SERVICE_ORIGIN: 'https://billing.acme.example:8443', DOCS_ORIGIN: 'https://docs.acme.example' }

async function readErrors(changes: Changes, variables: Record<string, string> = SERVICE) {
  const read = await readPaywallFile(sampleFileText(changes), { ...environment, ...variables })
  return 'errors' in read ? read.errors : []
}

describe('hosts of the service in a paywall file', () => {
  test.each([
    ['paywalls[0].domain', 'billing.acme.example'],
    ['paywalls[0].domain', 'docs.acme.example'],
    ['webhooks[0].url', 'https://billing.acme.example/webhooks/stripe/1001'],
    ['webhooks[0].url', 'https://docs.acme.example./api'],
  ])('are rejected: %s %s', async (path, value) => {
    const host = /[a-z]+\.acme\.example/.exec(value)?.[0]
    expect(await readErrors({ [path]: value })).toEqual([`${path}: ${host} is a host of the service itself`])
  })

  test.each([
    ['paywalls[0].domain', 'pay.acme.example'],
    ['paywalls[0].domain', 'acme.example'],
    ['paywalls[0].domain', 'my.billing.acme.example'],
    ['webhooks[0].url', 'https://owner.example/billing.acme.example'],
  ])('do not include others: %s %s', async (path, value) => {
    expect(await readErrors({ [path]: value })).toEqual([])
  })

  test('do not include the webhook receiver of a local world, where everything is on one host', async () => {
    const local = { SERVICE_ORIGIN: 'http://127.0.0.1:8787', DOCS_ORIGIN: 'http://localhost:8787' }
    expect(await readErrors({ 'webhooks[0].url': 'http://127.0.0.1:8790/webhooks' }, local)).toEqual([])
  })
})

describe('the command', () => {
  const key = 'A'.repeat(43)
  const secrets = { PROCESSOR_CREDENTIALS_KEY: key, WEBHOOK_SECRETS_KEY: key, TURNSTILE_SECRETS_KEY: key }
  const databaseUrl = 'postgres://owner:secret@db.invalid/neondb'
  const run = (command: string, variables = {}) =>
    paywall({ databaseUrl, secrets }, [command, 'demo/paywall.json'], variables)

  test.each(['plan', 'apply'])('%s requires SERVICE_ORIGIN if the database is not on this machine', async (command) => {
    expect(await run(command)).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('SERVICE_ORIGIN is not set in the environment'),
    })
  })

  test('rejects a SERVICE_ORIGIN that is not an origin', async () => {
    const refused = await run('apply', { SERVICE_ORIGIN: 'billing.acme.example' })
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('SERVICE_ORIGIN must be an origin') })
  })
})
