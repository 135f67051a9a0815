// The help of the `paywall` command: commander's, with examples, or as JSON.
import { styleText } from 'node:util'
import { type CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings'

const examples = new WeakMap<CommandUnknownOpts, string[]>()

/** Adds examples to a command's help, and the first of them to its group's. */
export function addExamples(command: CommandUnknownOpts, ...lines: string[]): void {
  examples.set(command, lines)
}

/** main.ts removes it from the arguments. */
const JSON_OPTION = new Option('--json', 'print one JSON document, with `errors` in it if the command fails')

const bold = (text: string) => styleText('bold', text, { validateStream: false })

/** For commander's `configureHelp`, which removes colours if the output is no terminal or NO_COLOR is set. */
export const helpConfiguration = (isJson: boolean) => ({
  styleTitle: bold,
  subcommandTerm: (command: CommandUnknownOpts) => `${command.name()} ${command.usage()}`,
  visibleOptions(this: Help, command: CommandUnknownOpts) {
    const options = Help.prototype.visibleOptions.call(this, command)
    return command.commands.length > 0 ? options : [...options, JSON_OPTION]
  },
  formatHelp: (command: CommandUnknownOpts, helper: Help) =>
    isJson ? `${JSON.stringify(helpJson(command, helper), null, 2)}\n` : helpText(command, helper),
})

function helpText(command: CommandUnknownOpts, helper: Help): string {
  const text = Help.prototype.formatHelp.call(helper, command, helper)
  const lines = readExamples(command)
  return lines.length === 0 ? text : `${text}\n${bold('Examples:')}\n${lines.map((line) => `  ${line}\n`).join('')}`
}

function helpJson(command: CommandUnknownOpts, helper: Help) {
  return command.commands.length > 0
    ? { commands: runnable(command).map((each) => describe(each, helper)) }
    : describe(command, helper)
}

function describe(command: CommandUnknownOpts, helper: Help) {
  const options = helper.visibleOptions(command).map(({ flags, description }) => ({ flags, description }))
  return {
    name: fullName(command).replace('paywall ', ''),
    usage: helper.commandUsage(command),
    summary: helper.subcommandDescription(command),
    description: command.description(),
    arguments: command.registeredArguments.map((each) => ({ name: each.name(), description: each.description })),
    options,
    examples: readExamples(command),
  }
}

/** The commands that can be run: a group's verbs, and not the group. */
const runnable = (command: CommandUnknownOpts): CommandUnknownOpts[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(runnable)

/** `paywall grants give`. */
export const fullName = (command: CommandUnknownOpts): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

function readExamples(command: CommandUnknownOpts): string[] {
  const isProgram = command.parent === null
  if (isProgram) return []
  return command.commands.length > 0
    ? command.commands.flatMap((verb) => readExamples(verb).slice(0, 1))
    : (examples.get(command) ?? [])
}
