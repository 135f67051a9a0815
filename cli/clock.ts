import * as z from 'zod'
import { parseArguments } from './arguments.ts'
import { CommandError, type CommandResult } from './command.ts'

/** Where `npm run dev` serves the local world's own address, if it is not told otherwise. */
export const HOME_PORT = 8786

const USAGE = 'say clock ID, or clock ID --advance 31d'

const Answer = z.union([z.object({ paywall: z.string(), now: z.string() }), z.object({ error: z.string() })])

/**
 * `paywall clock ID`: prints the time of a test paywall of the local world. `--advance 31d` moves it first, and what falls due
 * meanwhile happens.
 */
export async function runClock(args: string[]): Promise<CommandResult> {
  const options = {
    advance: { type: 'string' },
    home: { type: 'string', default: `http://127.0.0.1:${HOME_PORT}` },
  } as const
  const { values, positionals } = parseArguments({ args, options, allowPositionals: true }, [USAGE])
  const [paywall, ...more] = positionals
  if (paywall === undefined || more.length > 0) throw new CommandError([USAGE])
  const address = URL.parse('/clock', values.home)
  if (!address) throw new CommandError([`--home must be a URL like http://127.0.0.1:${HOME_PORT}, not ${values.home}`])
  const { advance } = values
  if (advance === undefined) address.searchParams.set('paywall', paywall)
  const move = { method: 'POST', body: JSON.stringify({ paywall, advance }) }
  const request = advance === undefined ? {} : { ...move, headers: { 'content-type': 'application/json' } }
  const now = await ask(address, request)
  return { text: now, json: { paywall, now } }
}

/** The paywall's time as the local world says it. */
async function ask(address: URL, request: RequestInit): Promise<string> {
  const answer = await fetch(address, request)
    .then(async (response) => Answer.parse(await response.json()))
    .catch((cause: unknown) => {
      const mend = 'npm run dev starts it, and prints its address: --home URL'
      throw new CommandError([`no local world answers at ${address.origin}: ${mend}`], { cause })
    })
  if ('error' in answer) throw new CommandError([answer.error])
  return answer.now
}
