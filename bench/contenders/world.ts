import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call, Message, WorldAddresses, WorldCommands } from './commands.ts'

/** A local world in a separate process. */
export interface World extends WorldAddresses, AsyncDisposable {
  /** Its name in tables: `here` or the git ref. */
  name: string
  commands: WorldCommands
}

/** The timeout of a start. */
const START_SECONDS = 120

const PROGRAM = join(import.meta.dirname, 'world-process.ts')

/** Starts the local world of the tree in `root`, with an empty database and without rate limits. */
export async function openWorld({
  name,
  root,
  inspect = false,
}: {
  name: string
  root: string
  inspect?: boolean
}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-bench-world-'))
  chmodSync(folder, 0o755) // mkdtemp creates it with 0700, which excludes the user that Postgres runs as
  const child = fork(PROGRAM, [root, folder, ...(inspect ? ['inspect'] : [])], {
    cwd: root,
    execArgv: [],
    env: { ...process.env, PAYWALL_LOCAL_DIR: folder },
  })
  const stop = async () => {
    if (child.connected) child.disconnect()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) // in case the process crashed
  }
  try {
    const addresses = await waitUntilReady(child)
    return { name, ...addresses, commands: createCommands(child), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw new Error(`the world of ${name} does not start`, { cause: error })
  }
}

function waitUntilReady(child: ChildProcess): Promise<WorldAddresses> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready after ${START_SECONDS} s`)), START_SECONDS * 1000)
    child.once('exit', (code) => reject(new Error(`its process ended with ${code}`)))
    child.once('message', (message: Message) => {
      clearTimeout(timer)
      if ('ready' in message) resolve(message.ready)
      else reject(new Error('failed' in message ? message.failed : 'it answered before it was ready'))
    })
  })
}

function createCommands(child: ChildProcess): WorldCommands {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let calls = 0
  child.on('message', (message: Message) => {
    if (!('answerTo' in message)) return
    const call = waiting.get(message.answerTo)
    waiting.delete(message.answerTo)
    if ('error' in message) call?.reject(new Error(message.error))
    else call?.resolve(message.result)
  })
  child.once('exit', (code) => {
    for (const call of waiting.values()) call.reject(new Error(`the world's process ended with ${code}`))
  })
  const send = <Result>(command: keyof WorldCommands, argument?: string): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.set(++calls, { resolve: (result) => resolve(result as Result), reject })
      child.send({ number: calls, command, argument } satisfies Call)
    })
  return {
    databaseWork: () => send('databaseWork'),
    startRecording: () => send('startRecording'),
    stopRecording: () => send('stopRecording'),
    runCron: (env) => send('runCron', env),
    residentMemory: () => send('residentMemory'),
    apply: (file) => send('apply', file),
    inspector: () => send('inspector'),
  }
}
