// The `paywall` command: runs the command that the arguments name, and prints its result or its errors. With --json it prints one JSON
// document, which has the errors in `errors`.
import { enableCompileCache } from 'node:module'
import { styleText } from 'node:util'
import { CommandError, type CommandResult } from './command.ts'

enableCompileCache() // speeds up the start of every run after the first

const argv = process.argv.slice(2)
const isJson = argv.includes('--json')
const args = argv.filter((argument) => argument !== '--json')

try {
  const { runCommand } = await import('./commands.ts')
  await runCommand(args.length > 0 ? args : ['help'], {
    isJson,
    print,
    printLine: isJson ? () => undefined : console.log,
  })
} catch (error) {
  fail(error instanceof CommandError ? error : new CommandError([unexpected(error)]))
}

function print({ text, json }: CommandResult): void {
  if (isJson) console.log(JSON.stringify(json, null, 2))
  else if (text !== '') console.log(text)
}

function fail({ messages, done }: CommandError): void {
  process.exitCode = 1
  if (isJson || done) print({ text: done?.text ?? '', json: { ...done?.json, errors: messages } })
  const name = styleText('red', 'paywall:', { stream: process.stderr })
  if (!isJson) process.stderr.write(messages.map((message) => `${name} ${message}\n`).join(''))
}

function unexpected(error: unknown): string {
  return `internal error: ${error instanceof Error ? error.message : String(error)}`
}
