import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readOptions as readBenchOptions } from '../../bench/options.ts'
import { readOptions } from '../../dev/world/options.ts'
import { readOptions as readScenarioOptions } from '../../dev/world/scenario/options.ts'
import { readOptions as readSimOptions } from '../sim/options.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { paywall } from '../support/paywall.ts'
import { MESSAGE, sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const readDevOptions = (args: string[]) => readOptions(args, {})

const world = useTestWorld()

describe('the intended command or option is suggested for a misspelt one:', () => {
  test.each<[words: string, sentence: string]>([
    ['paln paywall.json', 'unknown command paln: did you mean plan?'],
    ['sell', 'unknown command sell: run paywall help'],
    ['apply paywall.json --yess', 'unknown option --yess: did you mean --yes?'],
    ['migrate --paln', 'unknown option --paln: did you mean --plan?'],
    ['clock 1001 --advnace 31d', 'unknown option --advnace: did you mean --advance?'],
    ['clock 1001 --to 31d', 'unknown option --to'],
    ['tickets --paywal 1001', 'unknown option --paywal: did you mean --paywall?'],
    ['tickets atachment key file', 'unknown command atachment: did you mean attachment?'],
    ['ledger verfy', 'unknown command verfy: did you mean verify?'],
    ['users mrege a b --owner c', 'unknown command mrege: did you mean merge?'],
    ['users sign-out a --onwer c', 'unknown option --onwer: did you mean --owner?'],
    ['users erase a --owner c --Yes', 'unknown option --Yes: did you mean --yes?'],
    ['rekey --force', 'unknown option --force'],
    ['schema --jsno', 'unknown option --jsno'],
  ])('%s', async (words, sentence) => {
    const { code, out, err } = await paywall(world, words.split(' '))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n')[0]).toBe(`paywall: ${sentence}`)
  })

  test.each<[command: string, readWords: (args: string[]) => unknown, words: string, sentence: string]>([
    ['dev', readDevOptions, '--prot', 'unknown option --prot: did you mean --port?'],
    ['dev', readDevOptions, '--recevier-port=1', 'unknown option --recevier-port: did you mean --receiver-port?'],
    ['dev', readDevOptions, '--colour', 'unknown option --colour'],
    ['bench', readBenchOptions, 'load --secnods 1', 'unknown option --secnods: did you mean --seconds?'],
    ['sim', readSimOptions, '--life 3', 'unknown option --life: did you mean --lives?'],
    ['scenario', readScenarioOptions, '--procesor stripe', 'unknown option --procesor: did you mean --processor?'],
  ])('npm run %s', (command, readWords, words, sentence) => {
    const usage = expect.stringContaining(`npm run ${command} -- --help`)
    expect(() => readWords(words.split(' '))).toThrow(expect.objectContaining({ messages: [sentence, usage] }))
  })
})

describe('with --json a single JSON document is printed:', () => {
  async function json(...words: string[]) {
    const { out, err } = await paywall(world, [...words, '--json'], {
      DATABASE_ROLES_KEY: world.secrets.DATABASE_ROLES_KEY,
    })
    expect(err).toBe('')
    return JSON.parse(out)
  }

  test('--version, help, schema, ledger, rekey', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await json('--version')).toEqual({ version })
    expect(await json('help')).toMatchObject({
      commands: expect.arrayContaining([{ usage: 'rekey', summary: expect.any(String) }]),
    })
    expect(await json('schema')).toEqual(JSON.parse(readFileSync('paywall.schema.json', 'utf8')))
    expect(await json('ledger', 'verify')).toMatchObject({ balances: expect.any(Number), wrong: [] })
    expect(await json('rekey')).toEqual({
      accounts: 0,
      webhook_secrets: 0,
      turnstile_keys: 0,
      removed: 0,
      unopened: [],
    })
  })

  test('migrate --plan', async () => {
    expect(await json('migrate', '--plan')).toEqual({ would: expect.any(Array) })
  })

  test('tickets', async () => {
    const { token } = await signIn(world)
    const id = ticketId(await sendForm(world, ticketForm(MESSAGE), { token }))
    expect(await json('tickets')).toMatchObject({ total: 1, tickets: [{ id: String(id), attachments: [] }] })
  })

  test('users', async () => {
    const owner = ['--owner', world.file.owner.email]
    const [one, other] = [await signIn(world), await signIn(world)]
    const address = newEmail()
    expect(await json('users', 'set-email', one.id, address, ...owner)).toEqual({ user: one.id, email: address })
    expect(await json('users', 'sign-out', one.id, ...owner)).toEqual({ user: one.id, ended: 1 })
    expect(await json('users', 'merge', other.id, one.id, ...owner)).toEqual({
      from: other.id,
      into: one.id,
      paywalls: [world.paywall.id],
    })
    expect(await json('users', 'export', address, ...owner)).toMatchObject({ email: address })
    expect(await json('users', 'erase', address, ...owner)).toEqual({ errors: [expect.stringContaining('--yes')] })
    expect(await json('users', 'erase', address, ...owner, '--yes')).toMatchObject({ erased: { users: 2 }, images: [] })
  })

  test('errors', async () => {
    expect(await json('sell')).toEqual({ errors: ['unknown command sell: run paywall help'] })
    expect(await json('plan', 'nowhere.json')).toEqual({ errors: ['nowhere.json cannot be read: no such file'] })
    expect(await json('clock', '1001', '--home', 'http://127.0.0.1:1')).toEqual({
      errors: [expect.stringContaining('no local world is running')],
    })
  })
})
