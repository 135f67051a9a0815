import { parseArguments } from '../../../cli/arguments.ts'
import { CommandError } from '../../../cli/command.ts'
import { didYouMean } from '../../../cli/did-you-mean.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import { parseProcessor } from '../options.ts'
import { SCENARIOS } from './scenarios.ts'
import type { Scenario } from './steps.ts'

export interface Options {
  scenario: Scenario
  /** Null: the one in the demo's file. */
  processors: readonly ProcessorName[] | null
  /** Play at all processors, and print only the months of each. */
  isAll: boolean
  /** Print one JSON document at the end. */
  json: boolean
}

export const HELP = `npm run scenario -- NAME [--processor ${PROCESSOR_NAMES.join('|')} | --all] [--json]

${Object.entries(SCENARIOS)
  .map(([name, { about }]) => `  ${name.padEnd(26)}${about}`)
  .join('\n')}`

/** Parses the command line; null: show the help. */
export function readOptions(args: string[]): Options | null {
  const flag = { type: 'boolean', default: false } as const
  const options = { processor: { type: 'string' }, all: flag, json: flag, help: flag } as const
  const usage = ['npm run scenario -- --help lists the scenarios']
  const { values, positionals } = parseArguments({ args, options, allowPositionals: true }, usage)
  const [name, ...more] = positionals
  if (name === undefined || values.help) return null
  if (more.length > 0) throw new CommandError([`only one scenario at a time: remove ${more.join(' ')}`])
  const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined
  if (!scenario) throw new CommandError([`there is no scenario ${name}${didYouMean(name, Object.keys(SCENARIOS))}`])
  const { processor, all: isAll, json } = values
  if (isAll && processor !== undefined) throw new CommandError(['--all and --processor cannot be combined'])
  const named = processor === undefined ? null : [parseProcessor(processor)]
  return { scenario, processors: isAll ? PROCESSOR_NAMES : named, isAll, json }
}
