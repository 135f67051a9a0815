import * as z from 'zod'
import { CommandError, type CommandResult } from './command.ts'
import { readLocalWorld } from './local-world.ts'

/** The default port of the local world's home page, which `npm run dev` starts. */
export const HOME_PORT = 8786

const Reply = z.union([z.object({ paywall: z.string(), now: z.string() }), z.object({ error: z.string() })])

interface ClockOptions {
  advance?: string | undefined
  home?: string | undefined
}

/**
 * `paywall clock ID`: prints the time of a test paywall of the local world. `--advance 31d` moves its clock first and runs what falls
 * due.
 */
export async function runClock(paywall: string, { advance, home }: ClockOptions): Promise<CommandResult> {
  const origin = home ?? readLocalWorld().HOME_URL ?? `http://127.0.0.1:${HOME_PORT}`
  const address = URL.parse('/clock', origin)
  if (!address) throw new CommandError([`--home must be a URL like http://127.0.0.1:${HOME_PORT}, not ${origin}`])
  const now = advance === undefined ? await readClock(address, paywall) : await advanceClock(address, paywall, advance)
  return { text: now, json: { paywall, now } }
}

function readClock(address: URL, paywall: string): Promise<string> {
  address.searchParams.set('paywall', paywall)
  return callHome(address, {})
}

function advanceClock(address: URL, paywall: string, advance: string): Promise<string> {
  return callHome(address, {
    method: 'POST',
    body: JSON.stringify({ paywall, advance }),
    headers: { 'content-type': 'application/json' },
  })
}

async function callHome(address: URL, request: RequestInit): Promise<string> {
  const reply = await fetch(address, request)
    .then(async (response) => Reply.parse(await response.json()))
    .catch((cause: unknown) => {
      const advice = 'start it with npm run dev, or give the address that it prints with --home URL'
      throw new CommandError([`no local world is running at ${address.origin}: ${advice}`], { cause })
    })
  if ('error' in reply) throw new CommandError([reply.error])
  return reply.now
}
