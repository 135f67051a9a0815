import { readFile, rename, writeFile } from 'node:fs/promises'
import type * as z from 'zod'

export interface State<Records> {
  readonly records: Records
  /** Resolves once everything that had changed by now is on disk. Callers at the same time share one write. */
  save(): Promise<void>
}

/**
 * Opens the records kept at `path`, empty if there is no such file; without a path they live in memory only. `of` says
 * whose they are, for the error of a file that is none.
 */
export async function openState<Records>(
  schema: z.ZodType<Records>,
  of: string,
  path?: string,
): Promise<State<Records>> {
  const records = schema.parse(path === undefined ? {} : await read(of, path))
  if (path === undefined) return { records, save: async () => {} }

  let writing = Promise.resolve()
  let queued: Promise<void> | null = null
  const write = async () => {
    queued = null
    const text = JSON.stringify(records, (_, value) => (value instanceof Map ? [...value.values()] : value))
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  }
  const save = () => {
    // A failed write has been reported to those who waited for it; the next one stands on its own.
    queued ??= writing = writing.then(write, write)
    return queued
  }
  return { records, save }
}

async function read(of: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new Error(`cannot read the ${of} emulator's state at ${path}`, { cause: error })
  }
}
