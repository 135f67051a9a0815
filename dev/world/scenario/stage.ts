import { readFileSync } from 'node:fs'
import { CommandError } from '../../../cli/command.ts'
import { type FilePaywall, type PaywallFile, readPaywallFile } from '../../../cli/paywall-file/file.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import { allowSeveralSubscriptions } from '../../emulators/emulators.ts'
import { preparedDatabase, startScratchPostgres } from '../database/scratch-postgres.ts'
import { DEMO, DEMO_PORTS, demoAt, demoThrough } from '../demo.ts'
import { freePort } from '../ports.ts'
import { fileEnvironment, makeSecrets, type Secrets } from '../secrets.ts'
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
  processors: readonly ProcessorName[] | null,
): Promise<Stage[]> {
  const [secrets, service, receiver] = [await makeSecrets(), await freePort(), await freePort()]
  const [postgres, { startWorld }] = await Promise.all([startScratchPostgres(), import('../world.ts')])
  started.defer(() => postgres.stop())
  const file = await readDemo(processors, { receiver, secrets })
  const world = started.adopt(
    await startWorld({
      databaseUrl: await preparedDatabase(postgres, 'scenario', secrets.DATABASE_ROLES_KEY),
      files: () => [file],
      secrets,
      ports: { service, receiver, mail: 0, ...Object.fromEntries(PROCESSOR_NAMES.map((each) => [each, 0])) },
      onLog: (level, message) => level === 'error' && console.error(message),
    }),
    (part) => part.close(),
  )
  await world.apply(file)
  allowSeveralSubscriptions(world)
  const key = file.keys[0]?.secret
  if (!key) throw new CommandError(['demo/paywall.json has no key'])
  return file.paywalls.map((paywall) => ({ world, paywall, key }))
}

/** The demo's file for a world of whose webhook endpoints only the receiver is there. */
export async function readDemo(
  processors: readonly ProcessorName[] | null,
  { receiver, secrets }: { receiver: number; secrets: Secrets },
): Promise<PaywallFile> {
  const text = processors === null ? readFileSync(DEMO, 'utf8') : JSON.stringify(demoAtEach(processors))
  const read = await readPaywallFile(demoAt({ ...DEMO_PORTS, receiver }, text), fileEnvironment(secrets))
  if ('errors' in read) throw new CommandError(read.errors.map((error) => `demo/paywall.json: ${error}`))
  const webhooks = read.file.webhooks.filter(({ url }) => url.startsWith(`http://127.0.0.1:${receiver}/`))
  return { ...read.file, webhooks }
}

/** The demo's file with its paywall once for each processor. A domain is one paywall's alone: they have none. */
function demoAtEach(processors: readonly ProcessorName[]) {
  const files = processors.map((processor) => demoThrough(processor).file)
  const paywalls = files.flatMap((file) => file.paywalls)
  return {
    ...files[0],
    paywalls: paywalls.map((paywall, index) => ({ ...paywall, id: `${1001 + index}`, domain: undefined })),
  }
}
