// The `paywall` command: finds the command that was asked for, runs it, and prints why if it could not do its work.
import { enableCompileCache } from 'node:module'
import { CommandError } from './command.ts'

interface Command {
  name: string
  /** The arguments, as the help shows them. */
  usage: string
  summary: string
  /** Throws a `CommandError` where it cannot do its work. */
  run(args: string[]): Promise<void>
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
    usage: 'apply FILE',
    summary: 'make the database say what the file says',
    run: async (args) => (await import('./apply.ts')).runApply(args),
  },
  {
    name: 'migrate',
    usage: 'migrate [--plan]',
    summary: 'bring the database to what this tree needs, or show how; needs DATABASE_ROLES_KEY',
    run: async (args) => (await import('./migrate.ts')).runMigrate(args),
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
      'sign-out USER: end all its sessions; export USER, erase USER: all that is kept of a person, and its end',
    run: async (args) => (await import('./users.ts')).runUsers(args),
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
    name: 'schema',
    usage: 'schema',
    summary: 'print the JSON Schema of paywall files (paywall.schema.json)',
    run: async () => void process.stdout.write((await import('./paywall-file/schema.ts')).paywallFileJsonSchema()),
  },
]

enableCompileCache() // compiled code is kept between runs: the second run of a command answers sooner

const [name = 'help', ...args] = process.argv.slice(2)
const command = COMMANDS.find((one) => one.name === name)

if (command) await run(command)
else if (['help', '--help', '-h'].includes(name)) console.log(help())
else fail([`there is no command ${name}: try help`])

async function run(command: Command): Promise<void> {
  try {
    await command.run(args)
  } catch (error) {
    if (error instanceof CommandError) fail(error.sentences)
    else fail([`this should not have happened: ${error instanceof Error ? error.message : String(error)}`])
  }
}

function fail(sentences: string[]): void {
  process.stderr.write(sentences.map((sentence) => `paywall: ${sentence}\n`).join(''))
  process.exitCode = 1
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length))
  const lines = COMMANDS.map(({ usage, summary }) => `  paywall ${usage.padEnd(width)}  ${summary}`)
  return [
    ...lines,
    '',
    'It works on the database of DATABASE_URL and needs PROCESSOR_CREDENTIALS_KEY and WEBHOOK_SECRETS_KEY, the same',
    'that the Workers have. Without DATABASE_URL it works on the local world that npm run dev started.',
  ].join('\n')
}
