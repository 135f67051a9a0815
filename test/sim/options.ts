import { parseArguments } from '../../cli/arguments.ts'
import { CommandError } from '../../cli/command.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { MOST_LIVES } from './history.ts'

export const HELP = `npm run sim -- [options]

  --seed N       the seed that everything random follows from (default: 1)
  --lives M      how many lives are lived at the same time (default: 50, at most ${MOST_LIVES})
  --seeds K      play so many seeds, one after the other, from N on (default: 1)
  --processor NAME
                 all lives are lived at this one (default: at each in turn)
  --keep TEXT    only these lives and steps, and kills if it has a k: what a history that breaks is printed with
  --json         print a JSON document for each seed, one a line
  --help         this text`

export interface Options {
  seed: number
  lives: number
  seeds: number
  processor: ProcessorName | undefined
  keep: string | undefined
  /** Whether the result of each seed is printed as a line of JSON. */
  json: boolean
}

/** Parses the command line; null if it asks for help. Throws a `CommandError` if it is invalid. */
export function readOptions(args: string[]): Options | null {
  const { values } = parse(args)
  if (values.help) return null
  return {
    seed: count('--seed', values.seed),
    lives: lifeCount(values.lives),
    seeds: count('--seeds', values.seeds),
    processor: values.processor === undefined ? undefined : processorNamed(values.processor),
    keep: values.keep,
    json: values.json,
  }
}

function parse(args: string[]) {
  const options = {
    seed: { type: 'string', default: '1' },
    lives: { type: 'string', default: '50' },
    seeds: { type: 'string', default: '1' },
    processor: { type: 'string' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const
  return parseArguments({ args, options }, ['npm run sim -- --help lists the options'])
}

function count(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new CommandError([`${option} must be a whole number from 1, not ${text}`])
}

function lifeCount(text: string): number {
  const lives = count('--lives', text)
  if (lives <= MOST_LIVES) return lives
  throw new CommandError([`--lives must be at most ${MOST_LIVES}, not ${text}: play more seeds with --seeds`])
}

function processorNamed(text: string): ProcessorName {
  const found = PROCESSOR_NAMES.find((each) => each === text)
  if (found) return found
  throw new CommandError([`--processor must be one of ${PROCESSOR_NAMES.join(', ')}, not ${text}`])
}
