// The `paywall` command: runs the command that the arguments name, and prints its result or its errors. With --json it prints one JSON
// document, which has the errors in `errors`.
import { enableCompileCache } from 'node:module'
import { CommandError, type CommandResult, type PrintLine } from './command.ts'
import { didYouMean } from './did-you-mean.ts'

interface Command {
  name: string
  /** The arguments, as the help shows them. */
  usage: string
  summary: string
  /** Throws a `CommandError` if it fails. */
  run(args: string[], printLine: PrintLine): Promise<CommandResult>
  /** Its own help, with examples, if it has one. */
  help?(): Promise<CommandResult>
}

/** Every command, in the order of the help. Each is imported only when it runs, so that all start fast. */
const COMMANDS: Command[] = [
  {
    name: 'plan',
    usage: 'plan FILE',
    summary: 'show what apply would change, and the resulting versions',
    run: async (args) => (await import('./apply.ts')).runPlan(args),
  },
  {
    name: 'apply',
    usage: 'apply FILE [--yes]',
    summary: 'make the database match the file; asks before destructive changes, unless --yes is given',
    run: async (args) => (await import('./apply.ts')).runApply(args),
  },
  {
    name: 'migrate',
    usage: 'migrate [--plan]',
    summary: 'migrate the database to this checkout, or show the steps; needs DATABASE_ROLES_KEY',
    run: async (args, printLine) => (await import('./migrate.ts')).runMigrate(args, printLine),
  },
  {
    name: 'rekey',
    usage: 'rekey',
    summary: 're-encrypt all secrets with the first key, so that the second can be removed',
    run: async (args) => (await import('./rekey.ts')).runRekey(args),
  },
  {
    name: 'users',
    usage: 'users merge|set-email|sign-out|export|erase …',
    summary: "merge users, change an e-mail address, end sessions, export or erase a person's data",
    run: async (args, printLine) => (await import('./users.ts')).runUsers(args, printLine),
  },
  {
    name: 'purchases',
    usage: 'purchases end|refund ID',
    summary: 'end a purchase immediately, here and at its processor, without a refund; or refund its latest payment',
    run: async (args) => (await import('./purchases.ts')).runPurchases(args),
  },
  {
    name: 'grants',
    usage: 'grants give|list|end …',
    summary: 'give a user access without a payment, list such access, or end it; --help shows examples',
    run: async (args) => (await import('./grants.ts')).runGrants(args),
    help: async () => (await import('./grants.ts')).helpOnGrants(),
  },
  {
    name: 'tickets',
    usage: 'tickets [attachment KEY FILE]',
    summary: 'list support tickets (--paywall ID: of one paywall), or save an attachment to a file',
    run: async (args) => (await import('./tickets.ts')).runTickets(args),
  },
  {
    name: 'ledger',
    usage: 'ledger verify',
    summary: 'recompute every balance from the ledger, and report those that differ',
    run: async (args) => (await import('./ledger.ts')).runLedger(args),
  },
  {
    name: 'clock',
    usage: 'clock ID [--advance 31d]',
    summary: 'show the time of a test paywall in the local world; --advance moves it and runs what falls due',
    run: async (args) => (await import('./clock.ts')).runClock(args),
  },
  {
    name: 'types',
    usage: 'types FILE',
    summary: "print TypeScript types of a file's prices, features and tokens, for the SDK",
    run: async (args) => (await import('./types.ts')).runTypes(args),
  },
  {
    name: 'schema',
    usage: 'schema',
    summary: 'print the JSON Schema of paywall files (paywall.schema.json)',
    run: async (args) => (await import('./schema.ts')).runSchema(args),
  },
]

enableCompileCache() // speeds up the start of every run after the first

const argv = process.argv.slice(2)
const isJson = argv.includes('--json')
const [name = 'help', ...args] = argv.filter((argument) => argument !== '--json')

try {
  print(await findCommand(name).run(args, isJson ? () => undefined : console.log))
} catch (error) {
  fail(error instanceof CommandError ? error : new CommandError([unexpected(error)]))
}

function findCommand(name: string): Pick<Command, 'run'> {
  const command = COMMANDS.find((command) => command.name === name)
  if (command?.help && args.includes('--help')) return { run: command.help }
  if (['help', '--help', '-h'].includes(name) || args.includes('--help')) return { run: async () => help() }
  if (name === '--version') return { run: readVersion }
  if (command) return command
  const names = COMMANDS.map((command) => command.name)
  throw new CommandError([`unknown command ${name}${didYouMean(name, names) || ': run paywall help'}`])
}

async function readVersion(): Promise<CommandResult> {
  const { version } = (await import('../package.json', { with: { type: 'json' } })).default
  return { text: version, json: { version } }
}

function print({ text, json }: CommandResult): void {
  if (isJson) console.log(JSON.stringify(json, null, 2))
  else if (text !== '') console.log(text)
}

function fail({ messages, done }: CommandError): void {
  process.exitCode = 1
  if (isJson || done) print({ text: done?.text ?? '', json: { ...done?.json, errors: messages } })
  if (!isJson) process.stderr.write(messages.map(toLine).join(''))
}

function toLine(sentence: string): string {
  return sentence.startsWith('usage: ') ? `${sentence}\n` : `paywall: ${sentence}\n`
}

function unexpected(error: unknown): string {
  return `internal error: ${error instanceof Error ? error.message : String(error)}`
}

function help(): CommandResult {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length))
  const lines = COMMANDS.map(({ usage, summary }) => `  paywall ${usage.padEnd(width)}  ${summary}`)
  const about = [
    'Commands use the database at DATABASE_URL, and need the PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY and TURNSTILE_SECRETS_KEY',
    'of the Workers.',
    'Without DATABASE_URL they use the local world that npm run dev started.',
    'With --version it prints its version.',
    'With --json every command prints one JSON document. If it fails, `errors` in it says why.',
  ]
  const commands = COMMANDS.map(({ usage, summary }) => ({ usage, summary }))
  return { text: [...lines, '', ...about].join('\n'), json: { commands } }
}
