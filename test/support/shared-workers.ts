import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { startWorkers, type Workers, type WorkersOptions } from '../../dev/world/workers/workers.ts'
import type { WorldOptions } from '../../dev/world/world.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { freshDatabase, testSecrets } from './databases.ts'
import { reservePort } from './ports.ts'

/** What a test's world is built on: its database, and Workers that know its addresses. */
export type WorldBase = Pick<WorldOptions, 'databaseUrl' | 'secrets' | 'ports' | 'variables'> & Partial<WorldOptions>

/**
 * Returns the base of a world that uses the shared Workers. Starting Workers takes a second, so a test process starts them once, and its
 * test files take turns: each builds its own world around them, on its own database, at the addresses that the Workers know.
 */
export async function sharedBase(): Promise<WorldBase> {
  const { ports, database, secrets } = await shared
  if (currentWorld) throw new Error('a file has one world at a time, and this process has one not closed')
  return {
    ports,
    secrets,
    databaseUrl: await freshDatabase(database),
    variables: { RATE_LIMITED: false },
    startWorkers: borrowWorkers,
  }
}

let workers: Promise<Workers> | undefined
/** What the Workers were started with. */
let startOptions: Pick<WorkersOptions, 'values' | 'neonUrl'> | undefined
/** The handlers for mail and logs of the world whose turn it is; undefined: no world has the Workers. */
let currentWorld: Pick<WorkersOptions, 'receiveMail' | 'onLog'> | undefined

async function chooseShared() {
  const [service, neon, turnstile] = await Promise.all([reservePort(), reservePort(), reservePort()])
  const emulators = await Promise.all(
    PROCESSOR_NAMES.map(async (acquiring) => [acquiring, await reservePort()] as const),
  )
  const secrets = await testSecrets()
  const ports = { service, neon, turnstile, ...Object.fromEntries(emulators), receiver: 0, mail: 0 }
  return { ports, secrets, database: `shared_${randomUUID().replaceAll('-', '')}` }
}

/** Returns the shared Workers instead of starting new ones. `stop` ends the turn of the world, but does not stop the Workers. */
async function borrowWorkers(options: WorkersOptions): Promise<Workers> {
  const { values, neonUrl } = options
  startOptions ??= { values, neonUrl }
  if (!isDeepStrictEqual(startOptions, { values, neonUrl }))
    throw new Error('these Workers were started with other values')
  currentWorld = options
  workers ??= startForAll(options)
  const stop = async () => {
    currentWorld = undefined
  }
  await forgetAttachments(await workers)
  return { ...(await workers), stop }
}

function startForAll(options: WorkersOptions): Promise<Workers> {
  const started = startWorkers({
    ...options,
    receiveMail: (message) =>
      currentWorld?.receiveMail(message) ?? Promise.reject(new Error('no world is there to take mail')),
    onLog: (level, message) => currentWorld?.onLog(level, message),
  })
  // vitest ends its processes with SIGTERM. Stopping the Workers also removes their files on disk.
  process.once('SIGTERM', () => void started.then((running) => running.stop()).finally(() => process.exit()))
  return started
}

/** Deletes the images of the previous world, since the database of the new world knows none of them. */
async function forgetAttachments({ bucket }: Workers): Promise<void> {
  const attachments = await bucket('support-ticket', 'ATTACHMENTS')
  const { objects } = await attachments.list()
  if (objects.length > 0) await attachments.delete(objects.map(({ key }) => key))
}

const shared = chooseShared()
