import { readFileSync } from 'node:fs'
import { CommandError } from '../../../cli/command.ts'
import { type FilePaywall, readPaywallFile } from '../../../cli/paywall-file/file.ts'
import { ACQUIRING, type Acquiring } from '../../../lib/processors/acquiring.ts'
import { preparedDatabase, startScratchPostgres } from '../database/scratch-postgres.ts'
import { DEMO, DEMO_PORTS, demoAt, demoThrough } from '../demo.ts'
import { freePort } from '../ports.ts'
import { fileEnvironment, makeSecrets } from '../secrets.ts'
import type { World } from '../world.ts'

/** A paywall on which a life is played, and the world that it is in. */
export interface Stage {
  world: World
  paywall: FilePaywall
  key: string
}

/**
 * Starts a world of its own, in the stack that stops it, with the demo's paywall in it: one for each of the processors. `processors`
 * null: the demo sells through the processor that its file names.
 */
export async function startStages(
  started: AsyncDisposableStack,
  processors: readonly Acquiring[] | null,
): Promise<Stage[]> {
  const [secrets, service, receiver] = [await makeSecrets(), await freePort(), await freePort()]
  const [postgres, { startWorld }] = await Promise.all([startScratchPostgres(), import('../world.ts')])
  started.defer(() => postgres.stop())
  const text = processors === null ? readFileSync(DEMO, 'utf8') : JSON.stringify(demoAtEach(processors))
  const written = demoAt({ ...DEMO_PORTS, receiver }, text)
  const read = await readPaywallFile(written, fileEnvironment(secrets))
  if ('errors' in read) throw new CommandError(read.errors.map((error) => `demo/paywall.json: ${error}`))
  // Of the demo's webhook endpoints only the receiver is there.
  const webhooks = read.file.webhooks.filter(({ url }) => url.startsWith(`http://127.0.0.1:${receiver}/`))
  const file = { ...read.file, webhooks }
  const world = started.adopt(
    await startWorld({
      databaseUrl: await preparedDatabase(postgres, 'scenario', secrets.DATABASE_ROLES_KEY),
      files: () => [file],
      secrets,
      ports: { service, receiver, mail: 0, ...Object.fromEntries(ACQUIRING.map((each) => [each, 0])) },
      onLog: (level, message) => level === 'error' && console.error(message),
    }),
    (part) => part.close(),
  )
  await world.apply(file)
  allowUpgrades(world)
  const key = file.keys[0]?.secret
  if (!key) throw new CommandError(['demo/paywall.json has no key'])
  return file.paywalls.map((paywall) => ({ world, paywall, key }))
}

/** The demo's file with its paywall once for each processor. A domain is one paywall's alone: they have none. */
export function demoAtEach(processors: readonly Acquiring[]) {
  const files = processors.map((processor) => demoThrough(processor).file)
  const paywalls = files.flatMap((file) => file.paywalls)
  return {
    ...files[0],
    paywalls: paywalls.map((paywall, index) => ({ ...paywall, id: `${1001 + index}`, domain: undefined })),
  }
}

/** An owner who sells upgrades has switched off *Restrict Single Subscription Per User* at Freemius: see docs/processors/freemius.md. */
export function allowUpgrades(world: World): void {
  world.freemius.manySubscriptions = true
}
