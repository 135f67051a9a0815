// Every command, its verbs and their options, in the order of the help. What a command does is imported only when it runs, so that all start
// fast.
import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings'
import { BREAKDOWNS } from '../lib/figures/figures.ts'
import packageJson from '../package.json' with { type: 'json' }
import { CommandError, type CommandResult, type PrintLine } from './command.ts'
import { addExamples, fullName, helpConfiguration } from './help.ts'

interface Output {
  isJson: boolean
  print(result: CommandResult): void
  printLine: PrintLine
}

const USER = "a user's id, e-mail address or external id"
const PURCHASE = 'its id, which the API and the events show'
const EVENT = 'its id, which events list shows'
const ENDPOINT = 'its id, which webhooks list shows'
const REASON = 'why, for your colleagues; at most 500 characters'
const ABOUT = [
  'Commands use the database at DATABASE_URL, and need the PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY and',
  'TURNSTILE_SECRETS_KEY of the Workers. Without DATABASE_URL they use the local world that npm run dev started.',
  'Each command and verb has a --help of its own, with examples.',
].join(' ')

/** Runs the command that the arguments name, and prints its result. Throws a `CommandError` if it fails. */
export async function runCommand(args: string[], output: Output): Promise<void> {
  const program = defineProgram(output)
  const [first, ...more] = args
  try {
    await program.parseAsync(first === 'help' ? [...more, '--help'] : args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) throw new CommandError(explain(error, findCommand(program, args)), { cause: error })
  }
}

function explain({ code, message }: CommanderError, command: CommandUnknownOpts): string[] {
  const help = `run ${fullName(command)} --help to see how it is used`
  if (code === 'commander.help') return [`add one of ${command.commands.map((each) => each.name()).join(', ')}`, help]
  return [message.replace(/^error: /, '').replace('\n(Did you mean', ' (did you mean'), help]
}

/** The command that the first arguments name. */
function findCommand(command: CommandUnknownOpts, [name, ...more]: string[]): CommandUnknownOpts {
  const verb = command.commands.find((each) => each.name() === name)
  return verb ? findCommand(verb, more) : command
}

function defineProgram(output: Output) {
  const { isJson } = output
  const version = isJson ? JSON.stringify({ version: packageJson.version }) : packageJson.version
  const program = new Command('paywall')
    .description(ABOUT)
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .usage('<command> [options]')
    .configureHelp(helpConfiguration(isJson))
    .configureOutput({ writeErr: () => undefined }) // main.ts prints errors
    .exitOverride()
  definePaywallFileCommands(program, output)
  defineDatabaseCommands(program, output)
  defineUsers(program, output)
  definePurchases(program, output)
  defineGrants(program, output)
  defineEvents(program, output)
  defineWebhooks(program, output)
  defineStats(program, output)
  defineTickets(program, output)
  defineClock(program, output)
  return program
}

type Program = ReturnType<typeof defineProgram>

/** An action that prints its result. */
const printing =
  <Args extends unknown[]>({ print }: Output, run: (...args: Args) => Promise<CommandResult>) =>
  async (...args: Args): Promise<void> =>
    print(await run(...args))

function definePaywallFileCommands(program: Program, output: Output): void {
  const plan = program
    .command('plan')
    .description('show what apply would change, and the resulting versions')
    .argument('<file>', 'a paywall file')
    .action(printing(output, async (file) => (await import('./apply.ts')).runPlan(file)))
  addExamples(plan, 'paywall plan paywall.json')

  const apply = program
    .command('apply')
    .description('make the database match the file; asks before destructive changes')
    .argument('<file>', 'a paywall file')
    .option('--yes', 'make destructive changes without asking')
    .action(printing(output, async (file, options) => (await import('./apply.ts')).runApply(file, options)))
  addExamples(apply, 'paywall apply paywall.json', 'paywall apply paywall.json --yes')

  const types = program
    .command('types')
    .description("print TypeScript types of a file's prices, features and tokens, for the SDK")
    .argument('<file>', 'a paywall file')
    .action(printing(output, async (file) => (await import('./types.ts')).runTypes(file)))
  addExamples(types, 'paywall types paywall.json > paywall-names.d.ts')

  const schema = program
    .command('schema')
    .description('print the JSON Schema of paywall files')
    .action(printing(output, async () => (await import('./schema.ts')).runSchema()))
  addExamples(schema, 'paywall schema > paywall.schema.json')
}

function defineDatabaseCommands(program: Program, output: Output): void {
  const migrate = program
    .command('migrate')
    .description('migrate the database to this checkout; needs DATABASE_ROLES_KEY')
    .option('--plan', 'show the steps, and change nothing')
    .action(printing(output, async (options) => (await import('./migrate.ts')).runMigrate(options, output.printLine)))
  addExamples(migrate, 'paywall migrate --plan', 'paywall migrate')

  const rekey = program
    .command('rekey')
    .description('re-encrypt all secrets with the first key, so that the second can be removed')
    .action(printing(output, async () => (await import('./rekey.ts')).runRekey()))
  addExamples(rekey, 'paywall rekey')

  const ledger = addGroup(program, 'ledger').description('check the ledger of tokens')
  const verify = ledger
    .command('verify')
    .description('recompute every balance from the ledger, and report those that differ')
    .action(printing(output, async () => (await import('./ledger.ts')).verifyLedger()))
  addExamples(verify, 'paywall ledger verify')
}

function defineUsers(program: Program, output: Output): void {
  const users = addGroup(program, 'users').description(
    "find users, show or merge them, change an e-mail address, end sessions, export or erase a person's data",
  )

  const find = ofOwner(users.command('find'))
    .description('find users by an e-mail address or an id')
    .argument('<text>', `${USER}; or an id of a purchase or a checkout, ours or the processor's`)
    .action(printing(output, async (text, options) => (await import('./users.ts')).find(text, options)))
  addExamples(find, 'paywall users find sub_1PqR2s --owner owner@example.com --live')

  const show = ofOwner(users.command('show'))
    .description('show why a user has access or not, and its purchases, payments, grants, tokens, tickets and events')
    .argument('<user>', USER)
    .action(printing(output, async (user, options) => (await import('./users.ts')).show(user, options)))
  addExamples(show, 'paywall users show ann@example.com --owner owner@example.com --live')

  const merge = ofOwner(users.command('merge'))
    .description('merge two users that are one person, on all paywalls of the owner')
    .argument('<from>', `the user that is merged: ${USER}`)
    .argument('<into>', 'the user that gets everything')
    .action(printing(output, async (from, into, options) => (await import('./users.ts')).merge(from, into, options)))
  addExamples(merge, 'paywall users merge ann@old.example ann@new.example --owner owner@example.com')

  const setEmail = ofOwner(users.command('set-email'))
    .description("change a user's e-mail address")
    .argument('<user>', USER)
    .argument('<email>', 'the new address')
    .action(printing(output, async (user, to, options) => (await import('./users.ts')).changeEmail(user, to, options)))
  addExamples(setEmail, 'paywall users set-email ann@old.example ann@new.example --owner owner@example.com')

  const signOut = users
    .command('sign-out')
    .summary('end sessions')
    .description(
      'end the sessions of a user, those that a revoked key created, or all, and with them their access tokens',
    )
    .argument('[user]', USER)
    .option('--minted-by <name>', 'sessions that the revoked key of this name created')
    .option('--all', 'sessions of all users')
    .option('--since <time>', 'with --minted-by or --all: only sessions that began at this time or later')
    .option('--owner <email>', "the owner's e-mail address, as in the paywall file")
    .option('--paywall <id>', 'instead of --owner: sessions on this paywall')
    .addOption(testOption())
    .addOption(liveOption())
    .action(printing(output, async (user, options) => (await import('./users/sign-out.ts')).runSignOut(user, options)))
  addExamples(
    signOut,
    'paywall users sign-out ann@example.com --owner owner@example.com',
    'paywall users sign-out --minted-by backend --owner owner@example.com --since 2026-11-20T00:00:00Z',
  )

  const exporting = ofOwner(users.command('export'))
    .description('print everything that is stored about a person, as JSON')
    .argument('<user>', USER)
    .action(printing(output, async (user, options) => (await import('./users.ts')).exportUser(user, options)))
  addExamples(exporting, 'paywall users export ann@example.com --owner owner@example.com > ann.json')

  const erase = ofOwner(users.command('erase'))
    .description('show what would be erased about a person, or with --yes erase it')
    .argument('<user>', USER)
    .option('--yes', 'erase; it cannot be undone')
    .action(
      printing(output, async (user, options) =>
        (await import('./users.ts')).eraseUser(user, options, output.printLine),
      ),
    )
  addExamples(erase, 'paywall users erase ann@example.com --owner owner@example.com --live --yes')
}

function definePurchases(program: Program, output: Output): void {
  const purchases = addGroup(program, 'purchases').description('end a purchase, or refund its latest payment')

  const end = purchases
    .command('end')
    .description('end a purchase immediately, here and at its processor, without a refund')
    .argument('<purchase>', PURCHASE)
    .action(printing(output, async (id) => (await import('./purchases.ts')).endPurchase(id)))
  addExamples(end, 'paywall purchases end 5b0c3b51-2a4e-4d0b-9f43-0f5f2b7f7f0e')

  const refund = purchases
    .command('refund')
    .description('refund the latest payment of a purchase, or a part of it')
    .argument('<purchase>', PURCHASE)
    .option('--amount <amount>', 'in the currency of the purchase, such as 4.99 (default: what is left of the payment)')
    .option('--reason <text>', REASON)
    .action(printing(output, async (id, options) => (await import('./refund.ts')).refundPurchase(id, options)))
  addExamples(
    refund,
    'paywall purchases refund 5b0c3b51-2a4e-4d0b-9f43-0f5f2b7f7f0e --amount 4.99 --reason "The service was down"',
  )
}

function defineGrants(program: Program, output: Output): void {
  const grants = addGroup(program, 'grants')
    .summary('give a user access without a payment, list such access, or end it')
    .description(
      'A grant gives a user access without a payment until its time is over. It is no purchase: it never prevents one, and credits no tokens.',
    )

  const give = onPaywall(grants.command('give'))
    .description('give a user access until a time; add --days or --until')
    .argument('<user>', `${USER}; the user must have been on the paywall`)
    .option('--days <number>', 'for this number of days of 24 hours, 1 to 3650')
    .option('--until <time>', 'until a time with its zone, such as 2027-01-31T23:00:00Z, at most 3650 days away')
    .option('--price <slug>', 'with the features of this price (default: access without features)')
    .option('--reason <text>', `${REASON}; required`)
    .action(printing(output, async (user, options) => (await import('./grants.ts')).give(user, options)))
  addExamples(
    give,
    'paywall grants give bob@example.com --paywall 1001 --days 30 --price monthly --reason "Apology for the outage"',
    'paywall grants give bob@example.com --paywall 1001 --until 2027-01-31T23:00:00Z --reason "Beta tester"',
  )

  const list = onPaywall(grants.command('list'))
    .description('list the grants of a user, or of all users: the newest 50')
    .argument('[user]', USER)
    .action(printing(output, async (user, options) => (await import('./grants.ts')).list(user, options)))
  addExamples(list, 'paywall grants list bob@example.com --paywall 1001')

  const end = onPaywall(grants.command('end'))
    .description('end a grant now')
    .argument('<grant>', 'its id, which grants list shows')
    .option('--reason <text>', REASON)
    .action(printing(output, async (grant, options) => (await import('./grants.ts')).end(grant, options)))
  addExamples(
    end,
    'paywall grants end 7d0f5a52-9b1e-4f43-8a38-1d2c6f0b9e75 --paywall 1001 --reason "Granted to the wrong user"',
  )
}

function defineEvents(program: Program, output: Output): void {
  const events = addGroup(program, 'events').description(
    'list events, show one with its deliveries, or send events again',
  )

  const list = ofOwner(events.command('list'))
    .description('list events, the newest first; a filter reads the latest 5,000')
    .option('--type <type>', 'of this type, such as payment.failed')
    .option('--paywall <id>', 'of this paywall')
    .option('--user <user>', `about this user: ${USER}`)
    .addOption(
      new Option('--state <state>', 'with a delivery in this state').choices(['pending', 'delivered', 'failed']),
    )
    .option('--limit <number>', 'how many, 1 to 500', '50')
    .option('--before <event>', 'those before this event, by its id')
    .action(printing(output, async (options) => (await import('./events.ts')).listEvents(options)))
  addExamples(
    list,
    'paywall events list --owner owner@example.com --live --state failed',
    'paywall events list --owner owner@example.com --user ann@example.com --type payment.failed',
  )

  const show = events
    .command('show')
    .description('show an event: its body, its deliveries, and each attempt with status, milliseconds and response')
    .argument('<event>', EVENT)
    .action(printing(output, async (id) => (await import('./events.ts')).showEvent(id)))
  addExamples(show, 'paywall events show evt_0f8fad5bd9cb469fa16570867728950e')

  const replay = events
    .command('replay')
    .summary('send events again')
    .description(
      'Send events again: one, or those of a time, to all webhook endpoints that are enabled, within a minute. A replayed event keeps its id and its place among those about its user.',
    )
    .argument('[event]', EVENT)
    .option('--since <time>', 'instead of an event: those from this time on, such as 2026-11-03T14:05:00Z')
    .option('--until <time>', 'those before this time (default: now)')
    .option('--failed', 'only those whose delivery has failed')
    .option('--endpoint <id>', 'to this webhook endpoint only, even if it is disabled')
    .option('--owner <email>', "with --since: the owner's e-mail address, as in the paywall file")
    .addOption(testOption())
    .addOption(liveOption())
    .action(printing(output, async (id, options) => (await import('./events.ts')).replayEvents(id, options)))
  addExamples(
    replay,
    'paywall events replay evt_0f8fad5bd9cb469fa16570867728950e',
    'paywall events replay --since 2026-11-03T00:00:00Z --failed --owner owner@example.com --live',
  )
}

function defineWebhooks(program: Program, output: Output): void {
  const webhooks = addGroup(program, 'webhooks').description(
    'list webhook endpoints, enable, disable or test one, or rotate its secret',
  )

  const list = ofOwner(webhooks.command('list'))
    .description('list webhook endpoints with their health')
    .action(printing(output, async (options) => (await import('./webhooks.ts')).listWebhooks(options)))
  addExamples(list, 'paywall webhooks list --owner owner@example.com --live')

  const enable = webhooks
    .command('enable')
    .description('enable a webhook endpoint: what is pending is sent')
    .argument('<endpoint>', ENDPOINT)
    .action(printing(output, async (id) => (await import('./webhooks.ts')).enableWebhook(id)))
  addExamples(enable, 'paywall webhooks enable 2f1c6f0e-3f0b-4f6e-8a55-0f6d3c1f9b1a')

  const disable = webhooks
    .command('disable')
    .description('disable a webhook endpoint: what is pending waits; apply enables it again')
    .argument('<endpoint>', ENDPOINT)
    .action(printing(output, async (id) => (await import('./webhooks.ts')).disableWebhook(id)))
  addExamples(disable, 'paywall webhooks disable 2f1c6f0e-3f0b-4f6e-8a55-0f6d3c1f9b1a')

  const test = webhooks
    .command('test')
    .description('send the test event webhook.ping to a webhook endpoint, within a minute')
    .argument('<endpoint>', ENDPOINT)
    .action(printing(output, async (id) => (await import('./webhooks.ts')).sendTestEvent(id)))
  addExamples(test, 'paywall webhooks test 2f1c6f0e-3f0b-4f6e-8a55-0f6d3c1f9b1a')

  const rotate = webhooks
    .command('rotate')
    .summary('give a webhook endpoint a new secret')
    .description(
      'Print a new secret of a webhook endpoint. For 24 hours each event is signed with the old one, too. A secret that is in the paywall file is changed there instead.',
    )
    .argument('<endpoint>', ENDPOINT)
    .action(printing(output, async (id) => (await import('./webhooks.ts')).rotateWebhook(id)))
  addExamples(rotate, 'paywall webhooks rotate 2f1c6f0e-3f0b-4f6e-8a55-0f6d3c1f9b1a')
}

function defineStats(program: Program, output: Output): void {
  const stats = ofOwner(program.command('stats'))
    .description(
      'Show revenue, MRR, subscriptions, failed payments and refunds, in each currency, as the Overview of the console does. docs/figures.md defines each figure.',
    )
    .summary('show revenue, MRR, subscriptions, failed payments and refunds')
    .option('--from <day>', 'the first day in UTC, such as 2026-11-01 (default: the last 30 days)')
    .option('--to <day>', 'the last day')
    .addOption(new Option('--by <what>', 'a row for each').choices(BREAKDOWNS).default('day' as const))
    .action(printing(output, async (options) => (await import('./stats.ts')).showStats(options)))
  addExamples(
    stats,
    'paywall stats --owner owner@example.com --live',
    'paywall stats --owner owner@example.com --live --from 2026-11-01 --to 2026-11-30 --by country',
  )
}

function defineTickets(program: Program, output: Output): void {
  const tickets = addGroup(program, 'tickets').description('list support tickets, or save an attachment to a file')

  const list = tickets
    .command('list')
    .description('list the newest 50 support tickets')
    .option('--paywall <id>', 'those of one paywall (default: of all)')
    .action(printing(output, async (options) => (await import('./tickets.ts')).listTickets(options)))
  addExamples(list, 'paywall tickets list --paywall 1001')

  const attachment = tickets
    .command('attachment')
    .description('save an attachment to a file')
    .argument('<key>', 'the key that tickets list and the event ticket.created show')
    .argument('<file>', 'where to save it')
    .action(printing(output, async (key, file) => (await import('./tickets.ts')).saveAttachment(key, file)))
  addExamples(attachment, 'paywall tickets attachment 1001/0b6f4c1e-7d35-4f1c-9d55-6d8a7f6a2b11 screenshot.png')
}

function defineClock(program: Program, output: Output): void {
  const clock = program
    .command('clock')
    .description('show the time of a test paywall in the local world, or move it and run what falls due')
    .argument('<paywall>', "the paywall's id")
    .option('--advance <time>', 'move the clock by a number of days, hours or minutes, such as 31d, 2h or 5m')
    .option('--home <url>', 'the address of the local world (default: that of the one in this folder)')
    .action(printing(output, async (paywall, options) => (await import('./clock.ts')).runClock(paywall, options)))
  addExamples(clock, 'paywall clock 1001', 'paywall clock 1001 --advance 31d')
}

/** Adds a command that has verbs. */
const addGroup = (program: Program, name: string) => program.command(name).usage('<verb> [options]').helpCommand(false)

/** Adds the options that select an owner and a mode. */
function ofOwner<Args extends unknown[], Own extends OptionValues, Inherited extends OptionValues>(
  command: Command<Args, Own, Inherited>,
) {
  return command
    .requiredOption('--owner <email>', "the owner's e-mail address, as in the paywall file")
    .addOption(testOption())
    .addOption(liveOption())
}

const testOption = () =>
  new Option('--test', 'the data of test paywalls; needed if the owner has both kinds').conflicts('live')

const liveOption = () => new Option('--live', 'the data of live paywalls; needed if the owner has both kinds')

/** Adds the option that selects a paywall. */
function onPaywall<Args extends unknown[], Own extends OptionValues, Inherited extends OptionValues>(
  command: Command<Args, Own, Inherited>,
) {
  return command.requiredOption('--paywall <id>', "the paywall's id, as in the paywall file")
}
