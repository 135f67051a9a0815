import { readFileSync } from 'node:fs'
import { CommandError } from '../../../cli/command.ts'
import { type FilePaywall, readPaywallFile } from '../../../cli/paywall-file/file.ts'
import { ACQUIRING, type Acquiring } from '../../../lib/processors/acquiring.ts'
import { preparedDatabase, startScratchPostgres } from '../database/scratch-postgres.ts'
import { DEMO, DEMO_PORTS, demoAt, demoThrough } from '../demo.ts'
import { freePort } from '../ports.ts'
import { fileEnvironment, makeSecrets } from '../secrets.ts'
import type { World } from '../world.ts'

/** A world of its own, which is gone at the end, and the demo's paywall in it. */
export interface Stage {
  world: World
  paywall: FilePaywall
  key: string
}

/** Starts it, in the stack that stops it. `acquiring` null: the demo sells through the processor that its file names. */
export async function startStage(started: AsyncDisposableStack, acquiring: Acquiring | null): Promise<Stage> {
  const [secrets, service, receiver] = [await makeSecrets(), await freePort(), await freePort()]
  const [postgres, { startWorld }] = await Promise.all([startScratchPostgres(), import('../world.ts')])
  started.defer(() => postgres.stop())
  const text = acquiring === null ? readFileSync(DEMO, 'utf8') : JSON.stringify(demoThrough(acquiring).file)
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
  const paywall = file.paywalls[0]
  const key = file.keys[0]?.secret
  if (!paywall || !key) throw new CommandError(['demo/paywall.json has no paywall, or no key'])
  return { world, paywall, key }
}
