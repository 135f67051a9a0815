import { readFile, rename, writeFile } from 'node:fs/promises'
import * as z from 'zod'

export interface State<Records> {
  readonly records: Records
  /** Resolves once all changes made before the call are on disk. Concurrent calls share one write. */
  save(): Promise<void>
}

/**
 * Loads the records from the file at `path`; empty if it does not exist. Without a path they are in memory only.
 *
 * @param processor named in the error if the file cannot be read
 */
export async function openState<Records>(
  schema: z.ZodType<Records>,
  processor: string,
  path?: string,
): Promise<State<Records>> {
  const parsed = schema.safeParse(path === undefined ? {} : await read(processor, path))
  if (!parsed.success) {
    const problem = `the ${processor} emulator's state at ${path} has the format of another version`
    throw new Error(`${problem}; npm run dev -- --reset deletes it\n${z.prettifyError(parsed.error)}`)
  }
  const records = parsed.data
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
    // The callers of a failed write got its error, so the next write proceeds normally.
    queued ??= writing = writing.then(write, write)
    return queued
  }
  return { records, save }
}

async function read(processor: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new Error(`cannot read the ${processor} emulator's state at ${path}`, { cause: error })
  }
}
