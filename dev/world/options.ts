import { join, resolve } from 'node:path'
import { parseArguments } from '../../cli/arguments.ts'
import { HOME_PORT } from '../../cli/clock.ts'
import { CommandError } from '../../cli/command.ts'
import { isCountry } from '../../lib/geo/countries.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { EMULATORS } from '../emulators/emulators.ts'
import { DEMO_PORTS } from './demo.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface Options {
  /** Absolute paths of paywall files; null: the demo. */
  configs: string[] | null
  /** The processor that the demo sells through; null: the one in its file. */
  processor: ProcessorName | null
  ports: { home: number; service: number; receiver: number; mail: number; shop: number } & Record<ProcessorName, number>
  /** The country that visitors come from. */
  country: string
  /** The user's own Postgres instead of the embedded one. */
  databaseUrl?: string
  /** Delete all data first. */
  reset: boolean
  /** Print addresses and events as lines of JSON. */
  json: boolean
  /** Where the world keeps its data. */
  folder: string
}

export const HELP = `npm run dev -- [options]

  --config FILE         a paywall file; repeat it for several owners (default: demo/paywall.json)
  --processor NAME      sell the demo through another processor: ${PROCESSOR_NAMES.join(', ')}
  --country CODE        the country that visitors come from, which decides local prices; home can change it (default: US)
  --home-port N         the port of the world's own page (default: ${HOME_PORT})
  --port N              the service's port (default: 8787)
${PROCESSOR_NAMES.map(emulatorOption).join('\n')}
  --receiver-port N     the port of the webhook receiver, which shows events at home (default: ${DEMO_PORTS.receiver})
  --mail-port N         the mail inbox's port (default: 8791)
  --shop-port N         the port of the shop that sells the first paywall (default: ${DEMO_PORTS.shop})
  --database-url URL    use this Postgres instead of the embedded one; its database is migrated
  --reset               delete all data of the embedded Postgres first
  --json                print addresses, keys and events as lines of JSON
  --help                this text

Data, secrets and Postgres's log are kept in .local, or in the folder that PAYWALL_LOCAL_DIR names.`

/** Parses the command line; null: show the help. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options | null {
  const { values } = parse(args)
  if (values.help) return null
  const databaseUrl = values['database-url']
  if (databaseUrl && values.reset)
    throw new CommandError(['--reset works on the embedded Postgres only: empty your own database yourself'])
  if (values.processor !== undefined && values.config)
    throw new CommandError([
      '--processor works with the demo only: a paywall file given with --config names its own processor',
    ])
  return {
    configs: values.config?.map((path) => resolveFromShell(path, environment)) ?? null,
    processor: values.processor === undefined ? null : parseProcessor(values.processor),
    country: parseCountry(values.country),
    ports: {
      home: port('--home-port', values['home-port']),
      service: port('--port', values.port),
      ...emulatorPorts(values),
      receiver: port('--receiver-port', values['receiver-port']),
      mail: port('--mail-port', values['mail-port']),
      shop: port('--shop-port', values['shop-port']),
    },
    ...(databaseUrl && { databaseUrl: postgresUrl(databaseUrl) }),
    reset: values.reset,
    json: values.json,
    folder: resolve(ROOT, environment.PAYWALL_LOCAL_DIR ?? '.local'),
  }
}

function parse(args: string[]) {
  const options = {
    config: { type: 'string', multiple: true },
    processor: { type: 'string' },
    country: { type: 'string', default: 'US' },
    'home-port': { type: 'string', default: String(HOME_PORT) },
    port: { type: 'string', default: '8787' },
    ...Object.fromEntries(PROCESSOR_NAMES.map(portOption)),
    'receiver-port': { type: 'string', default: String(DEMO_PORTS.receiver) },
    'mail-port': { type: 'string', default: '8791' },
    'shop-port': { type: 'string', default: String(DEMO_PORTS.shop) },
    'database-url': { type: 'string' },
    reset: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const
  return parseArguments({ args, options }, ['npm run dev -- --help lists the options'])
}

function emulatorOption(acquiring: ProcessorName): string {
  const option = `  --${acquiring}-port N`.padEnd(24)
  return `${option}the port of ${DEFINITIONS[acquiring].title}'s emulator (default: ${EMULATORS[acquiring].port})`
}

const portOption = (acquiring: ProcessorName) =>
  [`${acquiring}-port`, { type: 'string', default: String(EMULATORS[acquiring].port) }] as const

function emulatorPorts(values: Record<string, unknown>): Record<ProcessorName, number> {
  const ports = PROCESSOR_NAMES.map((acquiring) => {
    const option = `${acquiring}-port`
    return [acquiring, port(`--${option}`, String(values[option]))]
  })
  return Object.fromEntries(ports)
}

function port(option: string, text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > 65_535) throw new CommandError([`${option} must be a number from 1 to 65535, not ${text}`])
  return number
}

/** Parses the value of `--processor`. */
export function parseProcessor(text: string): ProcessorName {
  const found = PROCESSOR_NAMES.find((acquiring) => acquiring === text)
  if (!found) throw new CommandError([`--processor must be one of ${PROCESSOR_NAMES.join(', ')}, not ${text}`])
  return found
}

function parseCountry(code: string): string {
  if (isCountry(code)) return code
  throw new CommandError([`--country must be an ISO 3166-1 code in upper case, such as IN, not ${code}`])
}

function postgresUrl(text: string): string {
  if (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new CommandError(['--database-url must be a URL like postgres://user:password@host/database'])
}

/** Resolves a path against the user's folder: npm runs us in the project's folder. */
function resolveFromShell(path: string, environment: NodeJS.ProcessEnv): string {
  return resolve(environment.INIT_CWD ?? process.cwd(), path)
}
