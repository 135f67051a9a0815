import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import * as z from 'zod'
import type { World } from './world.ts'

/** The bare Workers in a separate process. */
export interface Bare extends AsyncDisposable {
  url: string
}

/** The names of the bare Workers by path. */
export const REFERENCES = {
  bare: '/plain',
  bound: '/bound',
  cached: '/cached',
  'select 1': '/select-one',
}
export type Reference = keyof typeof REFERENCES

const Ready = z.object({ ready: z.string() })

/** Starts the bare Workers. They use the database of `world` through its Neon proxy. */
export async function openBare({ databaseUrl, neonUrl }: World): Promise<Bare> {
  const child = fork(join(import.meta.dirname, 'bare-process.ts'), [databaseUrl, neonUrl], { execArgv: [] })
  const ended = once(child, 'exit')
  const first = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('the bare Workers do not start'))),
  ])
  const { ready: url } = Ready.parse(first[0])
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
