import { parseArguments } from '../../../cli/arguments.ts'
import { CommandError } from '../../../cli/command.ts'
import { didYouMean } from '../../../cli/did-you-mean.ts'
import { ACQUIRING, type Acquiring } from '../../../lib/processors/acquiring.ts'
import { processorNamed } from '../options.ts'
import { LIVES, type Life } from './lives.ts'

export interface Options {
  life: Life
  /** Null: the processor that the demo's file names. */
  processor: Acquiring | null
  /** What happened is printed as one JSON document, at the end. */
  json: boolean
}

export const HELP = `npm run scenario -- NAME [--processor ${ACQUIRING.join('|')}] [--json]

${Object.entries(LIVES)
  .map(([name, { about }]) => `  ${name.padEnd(26)}${about}`)
  .join('\n')}`

/** What the command line says; null if it names no life. */
export function readOptions(args: string[]): Options | null {
  const flag = { type: 'boolean', default: false } as const
  const options = { processor: { type: 'string' }, json: flag, help: flag } as const
  const usage = ['npm run scenario -- --help lists what there is']
  const { values, positionals } = parseArguments({ args, options, allowPositionals: true }, usage)
  const [name, ...more] = positionals
  if (name === undefined || values.help) return null
  if (more.length > 0) throw new CommandError([`one scenario at a time: ${more.join(' ')} is too much`])
  const life = Object.hasOwn(LIVES, name) ? LIVES[name] : undefined
  if (!life) throw new CommandError([`there is no scenario ${name}${didYouMean(name, Object.keys(LIVES))}`])
  const processor = values.processor === undefined ? null : processorNamed(values.processor)
  return { life, processor, json: values.json }
}
