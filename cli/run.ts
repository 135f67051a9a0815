import type { Command } from './command.ts'
import { apply } from './commands/apply.ts'
import { ledger } from './commands/ledger.ts'
import { plan } from './commands/plan.ts'
import { schema } from './commands/schema.ts'
import { tickets } from './commands/tickets.ts'
import { Refusal } from './refusal.ts'

const commands: Command[] = [plan, apply, tickets, ledger, schema]

const [name = 'help', ...args] = process.argv.slice(2)
const command = commands.find((one) => one.name === name)

if (command) await run(command)
else if (['help', '--help', '-h'].includes(name)) console.log(help())
else fail([`there is no command ${name}: try help`])

async function run(command: Command): Promise<void> {
  try {
    await command.run(args)
  } catch (error) {
    if (error instanceof Refusal) fail(error.sentences)
    else fail([`this should not have happened: ${error instanceof Error ? error.message : String(error)}`])
  }
}

function fail(sentences: string[]): void {
  process.stderr.write(sentences.map((sentence) => `paywall: ${sentence}\n`).join(''))
  process.exitCode = 1
}

function help(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length))
  const lines = commands.map(({ usage, summary }) => `  paywall ${usage.padEnd(width)}  ${summary}`)
  return [
    ...lines,
    '',
    'It works on the database of DATABASE_URL and needs PROCESSOR_CREDENTIALS_KEY and WEBHOOK_SECRETS_KEY, the same',
    'that the Workers have. Without DATABASE_URL it works on the local world that npm run dev started.',
  ].join('\n')
}
