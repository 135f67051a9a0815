// The `paywall` command: finds the command that was asked for, runs it, and prints what it did, or why it could not. With --json
// that is one JSON document; `errors` in it says why.
import { enableCompileCache } from 'node:module'
import { CommandError, type CommandResult, type PrintLine } from './command.ts'
import { didYouMean } from './did-you-mean.ts'

interface Command {
  name: string
  /** The arguments, as the help shows them. */
  usage: string
  summary: string
  /** Throws a `CommandError` where it cannot do its work. */
  run(args: string[], printLine: PrintLine): Promise<CommandResult>
}

/** Every command, in the order of the help. The code of each is loaded when it is run, so that all start fast. */
const COMMANDS: Command[] = [
  {
    name: 'plan',
    usage: 'plan FILE',
    summary: 'show what apply would change, and the versions to come; change nothing',
    run: async (args) => (await import('./apply.ts')).runPlan(args),
  },
  {
    name: 'apply',
    usage: 'apply FILE [--yes]',
    summary: 'make the database say what the file says; asks before it takes something away, unless --yes is said',
    run: async (args) => (await import('./apply.ts')).runApply(args),
  },
  {
    name: 'migrate',
    usage: 'migrate [--plan]',
    summary: 'bring the database to what this tree needs, or show how; needs DATABASE_ROLES_KEY',
    run: async (args, printLine) => (await import('./migrate.ts')).runMigrate(args, printLine),
  },
  {
    name: 'rekey',
    usage: 'rekey',
    summary: 'seal all secrets with the first of the keys, so that the other can go',
    run: async (args) => (await import('./rekey.ts')).runRekey(args),
  },
  {
    name: 'users',
    usage: 'users merge|set-email|sign-out|export|erase …',
    summary:
      'merge FROM INTO: make two users of an owner one; set-email USER NEW: give one another address; ' +
      'sign-out USER: end all its sessions; sign-out --minted-by KEY: those that a leaked key minted; export USER, erase USER: all that is kept of a person, and its end',
    run: async (args, printLine) => (await import('./users.ts')).runUsers(args, printLine),
  },
  {
    name: 'purchases',
    usage: 'purchases end ID',
    summary: 'end a purchase at once, here and at its processor; nothing is paid back',
    run: async (args) => (await import('./purchases.ts')).runPurchases(args),
  },
  {
    name: 'tickets',
    usage: 'tickets [attachment KEY FILE]',
    summary: 'show support tickets (--paywall ID: of one paywall), or write an image of one to a file',
    run: async (args) => (await import('./tickets.ts')).runTickets(args),
  },
  {
    name: 'ledger',
    usage: 'ledger verify',
    summary: 'recompute every balance from its ledger, and name those that differ',
    run: async (args) => (await import('./ledger.ts')).runLedger(args),
  },
  {
    name: 'clock',
    usage: 'clock ID [--advance 31d]',
    summary: 'the time of a test paywall of the local world; --advance moves it, and what falls due meanwhile happens',
    run: async (args) => (await import('./clock.ts')).runClock(args),
  },
  {
    name: 'types',
    usage: 'types FILE',
    summary: 'print TypeScript by which the SDK knows the prices, features and tokens of a file',
    run: async (args) => (await import('./types.ts')).runTypes(args),
  },
  {
    name: 'schema',
    usage: 'schema',
    summary: 'print the JSON Schema of paywall files (paywall.schema.json)',
    run: async (args) => (await import('./schema.ts')).runSchema(args),
  },
]

enableCompileCache() // compiled code is kept between runs: the second run of a command answers sooner

const words = process.argv.slice(2)
const isJson = words.includes('--json')
const [name = 'help', ...args] = words.filter((word) => word !== '--json')

try {
  print(await findCommand(name).run(args, isJson ? () => undefined : console.log))
} catch (error) {
  fail(error instanceof CommandError ? error : new CommandError([unexpected(error)]))
}

function findCommand(name: string): Pick<Command, 'run'> {
  if (['help', '--help', '-h'].includes(name) || args.includes('--help')) return { run: async () => help() }
  const command = COMMANDS.find((one) => one.name === name)
  if (command) return command
  const names = COMMANDS.map((one) => one.name)
  throw new CommandError([`there is no command ${name}${didYouMean(name, names) || ': try help'}`])
}

function print({ text, json }: CommandResult): void {
  if (isJson) console.log(JSON.stringify(json, null, 2))
  else if (text !== '') console.log(text)
}

function fail({ sentences, done }: CommandError): void {
  process.exitCode = 1
  if (isJson || done) print({ text: done?.text ?? '', json: { ...done?.json, errors: sentences } })
  if (!isJson) process.stderr.write(sentences.map((sentence) => `paywall: ${sentence}\n`).join(''))
}

function unexpected(error: unknown): string {
  return `this should not have happened: ${error instanceof Error ? error.message : String(error)}`
}

function help(): CommandResult {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length))
  const lines = COMMANDS.map(({ usage, summary }) => `  paywall ${usage.padEnd(width)}  ${summary}`)
  const about = [
    'It works on the database of DATABASE_URL and needs PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY and TURNSTILE_SECRETS_KEY, the same',
    'that the Workers have. Without DATABASE_URL it works on the local world that npm run dev started.',
    'With --json every command prints one JSON document; where it could not do its work, `errors` in it says why.',
  ]
  const commands = COMMANDS.map(({ usage, summary }) => ({ usage, summary }))
  return { text: [...lines, '', ...about].join('\n'), json: { commands } }
}
