import { parseArguments } from '../../../cli/arguments.ts'
import { CommandError } from '../../../cli/command.ts'
import { didYouMean } from '../../../cli/did-you-mean.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import { processorNamed } from '../options.ts'
import { LIVES } from './lives.ts'
import type { Life } from './steps.ts'

export interface Options {
  life: Life
  /** Null: the one that the demo's file names. */
  processors: readonly ProcessorName[] | null
  /** Whether it is played at all of them, with a line each. */
  isAll: boolean
  /** What happened is printed as one JSON document, at the end. */
  json: boolean
}

export const HELP = `npm run scenario -- NAME [--processor ${PROCESSOR_NAMES.join('|')} | --all] [--json]

${Object.entries(LIVES)
  .map(([name, { about }]) => `  ${name.padEnd(26)}${about}`)
  .join('\n')}`

/** What the command line says; null if it names no life. */
export function readOptions(args: string[]): Options | null {
  const flag = { type: 'boolean', default: false } as const
  const options = { processor: { type: 'string' }, all: flag, json: flag, help: flag } as const
  const usage = ['npm run scenario -- --help lists what there is']
  const { values, positionals } = parseArguments({ args, options, allowPositionals: true }, usage)
  const [name, ...more] = positionals
  if (name === undefined || values.help) return null
  if (more.length > 0) throw new CommandError([`one scenario at a time: ${more.join(' ')} is too much`])
  const life = Object.hasOwn(LIVES, name) ? LIVES[name] : undefined
  if (!life) throw new CommandError([`there is no scenario ${name}${didYouMean(name, Object.keys(LIVES))}`])
  const { processor, all: isAll, json } = values
  if (isAll && processor !== undefined)
    throw new CommandError(['--all plays it at every processor: leave --processor out'])
  const named = processor === undefined ? null : [processorNamed(processor)]
  return { life, processors: isAll ? PROCESSOR_NAMES : named, isAll, json }
}
