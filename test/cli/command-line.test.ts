import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readOptions as readBenchOptions } from '../../bench/options.ts'
import { runCommand } from '../../cli/commands.ts'
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

describe('a wrong call is refused with what to do:', () => {
  test.each<[words: string, sentence: string]>([
    ['paln paywall.json', "unknown command 'paln' (did you mean plan?)"],
    ['sell', "unknown command 'sell'"],
    ['apply paywall.json --yess', "unknown option '--yess' (did you mean --yes?)"],
    ['migrate --paln', "unknown option '--paln' (did you mean --plan?)"],
    ['clock 1001 --advnace 31d', "unknown option '--advnace' (did you mean --advance?)"],
    ['clock 1001 --to 31d', "unknown option '--to'"],
    ['tickets list --paywal 1001', "unknown option '--paywal' (did you mean --paywall?)"],
    ['tickets atachment key file', "unknown command 'atachment' (did you mean attachment?)"],
    ['ledger verfy', "unknown command 'verfy' (did you mean verify?)"],
    ['users mrege a b --owner c', "unknown command 'mrege' (did you mean merge?)"],
    ['users sign-out a --onwer c', "unknown option '--onwer' (did you mean --owner?)"],
    ['users erase a --owner c --Yes', "unknown option '--Yes' (did you mean --yes?)"],
    ['users merge a b', "required option '--owner <email>' not specified"],
    ['users merge a --owner c', "missing required argument 'into'"],
    ['users merge a b --owner c --test --live', "option '--test' cannot be used with option '--live'"],
    ['grants', 'add one of give, list, end'],
    ['rekey --force', "unknown option '--force'"],
    ['rekey now', "too many arguments for 'rekey'. Expected 0 arguments but got 1: now."],
    ['schema --jsno', "unknown option '--jsno' (did you mean --json?)"],
  ])('%s', async (words, sentence) => {
    const output = { isJson: false, print: () => undefined, printLine: () => undefined }
    const messages = [sentence, expect.stringMatching(/^run paywall [a-z -]*--help to see how it is used$/)]
    await expect(runCommand(words.split(' '), output)).rejects.toMatchObject({ messages })
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

describe('the help', () => {
  test('has examples of every verb, which name no option that it lacks', async () => {
    const { commands } = JSON.parse((await paywall(world, ['help', '--json'])).out)
    for (const { name, summary, options, examples } of commands) {
      const known = options.flatMap(({ flags }: { flags: string }) => flags.match(/--[a-z-]+/g))
      expect(summary, name).not.toBe('')
      expect(examples, name).not.toEqual([])
      for (const example of examples) {
        expect(example).toMatch(new RegExp(`^paywall ${name}( |$)`))
        expect(known, example).toEqual(expect.arrayContaining(example.match(/(?<= )--[a-z-]+/g) ?? []))
      }
    }
  })

  test.each([
    [['grants', '--help'], 'give [options] <user>'],
    [['help', 'grants', 'give'], '--days <number>'],
    [['grants', 'give', '--help'], 'Examples:\n  paywall grants give bob@example.com'],
  ])('%s', async (args, text) => {
    expect(await paywall(world, args)).toMatchObject({ code: 0, out: expect.stringContaining(text), err: '' })
  })

  test('has colours where there is a terminal, or if they are forced', async () => {
    const plain = await paywall(world, ['--help'])
    const coloured = await paywall(world, ['--help'], { FORCE_COLOR: '1' })
    expect(plain.out).not.toContain('\u001b')
    expect(coloured.out).toContain('\u001b[1mUsage:\u001b[22m')
    expect((await paywall(world, ['sell'], { FORCE_COLOR: '1' })).err).toContain('\u001b[31mpaywall:\u001b[39m')
    expect((await paywall(world, ['sell'], { NO_COLOR: '1' })).err).not.toContain('\u001b')
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
      commands: expect.arrayContaining([expect.objectContaining({ name: 'rekey', usage: 'paywall rekey [options]' })]),
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
    expect(await json('tickets', 'list')).toMatchObject({ total: 1, tickets: [{ id: String(id), attachments: [] }] })
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
    expect(await json('sell')).toEqual({
      errors: ["unknown command 'sell'", 'run paywall --help to see how it is used'],
    })
    expect(await json('plan', 'nowhere.json')).toEqual({ errors: ['nowhere.json cannot be read: no such file'] })
    expect(await json('clock', '1001', '--home', 'http://127.0.0.1:1')).toEqual({
      errors: [expect.stringContaining('no local world is running')],
    })
  })
})
