import { readFileSync } from 'node:fs'
import { CommandError } from '../../../cli/command.ts'
import { type FilePaywall, type PaywallFile, readPaywallFile } from '../../../cli/paywall-file/file.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import { allowSeveralSubscriptions } from '../../emulators/emulators.ts'
import { preparedDatabase, startScratchPostgres } from '../database/scratch-postgres.ts'
import { DEMO, DEMO_PORTS, demoThrough, demoWithPorts } from '../demo.ts'
import { freePort } from '../ports.ts'
import { fileEnvironment, makeSecrets, type Secrets } from '../secrets.ts'
import type { World } from '../world.ts'

/** A paywall on which a scenario is played, and its world. */
export interface Stage {
  world: World
  paywall: FilePaywall
  key: string
}

/**
 * Starts a world, which the stack stops, with a copy of the demo's paywall for each processor. `processors` null: one paywall with
 * the processor in the demo's file.
 */
export async function startStages(
  started: AsyncDisposableStack,
  processors: readonly ProcessorName[] | null,
): Promise<Stage[]> {
  const secrets = await makeSecrets()
  const service = await freePort()
  const receiver = await freePort()
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

/** The demo's file without the webhook endpoints that do not exist here: all but the receiver. */
export async function readDemo(
  processors: readonly ProcessorName[] | null,
  { receiver, secrets }: { receiver: number; secrets: Secrets },
): Promise<PaywallFile> {
  const text = processors === null ? readFileSync(DEMO, 'utf8') : JSON.stringify(demoAtEach(processors))
  const read = await readPaywallFile(demoWithPorts({ ...DEMO_PORTS, receiver }, text), fileEnvironment(secrets))
  if ('errors' in read) throw new CommandError(read.errors.map((error) => `demo/paywall.json: ${error}`))
  const webhooks = read.file.webhooks.filter(({ url }) => url.startsWith(`http://127.0.0.1:${receiver}/`))
  return { ...read.file, webhooks }
}

/** The demo's file with a copy of its paywall for each processor, without domains, which must be unique. */
function demoAtEach(processors: readonly ProcessorName[]) {
  const files = processors.map((processor) => demoThrough(processor).file)
  const paywalls = files.flatMap((file) => file.paywalls)
  return {
    ...files[0],
    paywalls: paywalls.map((paywall, index) => ({ ...paywall, id: `${1001 + index}`, domain: undefined })),
  }
}
