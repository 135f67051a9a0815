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
 * It takes a second to start the Workers. So a process of the tests starts them once, and its files take turns: each
 * builds a world of its own around them, on a database of its own, at the addresses that the Workers know.
 */
export async function sharedBase(): Promise<WorldBase> {
  const { ports, database, secrets } = await shared
  if (turn) throw new Error('a file has one world at a time, and this process has one not closed')
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
let known: Pick<WorkersOptions, 'values' | 'neonUrl'> | undefined
/** What the world whose turn it is does with mail and logs. */
let turn: Pick<WorkersOptions, 'receiveMail' | 'onLog'> | undefined

async function chooseShared() {
  const [service, neon, turnstile] = await Promise.all([reservePort(), reservePort(), reservePort()])
  const emulators = await Promise.all(
    PROCESSOR_NAMES.map(async (acquiring) => [acquiring, await reservePort()] as const),
  )
  const secrets = await testSecrets()
  const ports = { service, neon, turnstile, ...Object.fromEntries(emulators), receiver: 0, mail: 0 }
  return { ports, secrets, database: `shared_${randomUUID().replaceAll('-', '')}` }
}

/** The Workers as `startWorkers` gives them, except that they go on when they are stopped. */
async function borrowWorkers(options: WorkersOptions): Promise<Workers> {
  const { values, neonUrl } = options
  known ??= { values, neonUrl }
  if (!isDeepStrictEqual(known, { values, neonUrl })) throw new Error('these Workers were started with other values')
  turn = options
  workers ??= startForAll(options)
  const stop = async () => {
    turn = undefined
  }
  await forgetAttachments(await workers)
  return { ...(await workers), stop }
}

function startForAll(options: WorkersOptions): Promise<Workers> {
  const started = startWorkers({
    ...options,
    receiveMail: (message) => turn?.receiveMail(message) ?? Promise.reject(new Error('no world is there to take mail')),
    onLog: (level, message) => turn?.onLog(level, message),
  })
  // This is how vitest ends its processes. The Workers are stopped by it, and what they keep on disk is removed.
  process.once('SIGTERM', () => void started.then((running) => running.stop()).finally(() => process.exit()))
  return started
}

/** Deletes the images of the world before: the new world's database knows none of them. */
async function forgetAttachments({ bucket }: Workers): Promise<void> {
  const attachments = await bucket('support-ticket', 'ATTACHMENTS')
  const { objects } = await attachments.list()
  if (objects.length > 0) await attachments.delete(objects.map(({ key }) => key))
}

const shared = chooseShared()
