import { parseArguments } from '../cli/arguments.ts'
import { CommandError } from '../cli/command.ts'

export const HELP = `npm run bench -- [what] [options]

  what                  endpoints (default), load, growth, events, console or memory
  --against REF         also measure this commit, in turns, and print the quotients
  --rounds N            rounds per figure (default: 5)
  --seconds N           the length of a round (default: 2)
  --only TEXT           only endpoints, functions and pages whose names contain TEXT
  --size N              growth: the largest number of users; console: the number (default: 1000000)
  --requests N          memory: the number of requests (default: 100000)
  --json                print the result file's document and its path instead of tables
  --help                this text

Results are printed and written to .local/bench/.`

const WHATS = ['endpoints', 'load', 'growth', 'events', 'console', 'memory'] as const
export type What = (typeof WHATS)[number]

export interface Options {
  what: What
  against: string | undefined
  rounds: number
  seconds: number
  only: string
  size: number
  requests: number
  /** When the run began. */
  date: string
  /** Print one JSON document instead of tables. */
  json: boolean
}

/** Parses the command line; null: show the help. Throws a `CommandError` for mistakes. */
export function readOptions(args: string[]): Options | null {
  const options = {
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    size: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const
  const usage = ['npm run bench -- --help lists the options']
  const { values, positionals } = parseArguments({ args, options, allowPositionals: true }, usage)
  if (values.help) return null
  const [given = 'endpoints', ...more] = positionals
  const what = WHATS.find((each) => each === given)
  if (!what || more.length > 0) throw new CommandError([`there is no benchmark ${positionals.join(' ')}; try --help`])
  return {
    what,
    against: values.against,
    rounds: count('--rounds', values.rounds),
    seconds: positive('--seconds', values.seconds),
    only: values.only,
    size: count('--size', values.size),
    requests: count('--requests', values.requests),
    date: new Date().toISOString(),
    json: values.json,
  }
}

/** The items whose names match `--only`. Throws a `CommandError` if there are none. */
export function filterByName<Named extends { name: string }>(all: Named[], only: string): Named[] {
  const named = all.filter(({ name }) => name.includes(only))
  if (named.length === 0) throw new CommandError([`no endpoint or function has ${only} in its name`])
  return named
}

function positive(option: string, text: string): number {
  const number = Number(text)
  if (!(number > 0 && number < Infinity)) throw new CommandError([`${option} must be a number above 0, not ${text}`])
  return number
}

function count(option: string, text: string): number {
  const number = positive(option, text)
  if (!Number.isSafeInteger(number)) throw new CommandError([`${option} must be a whole number, not ${text}`])
  return number
}
