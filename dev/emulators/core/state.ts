import { readFile, rename, writeFile } from 'node:fs/promises'
import * as z from 'zod'

export interface State<Records> {
  readonly records: Records
  /** Resolves once all changes made before the call are on disk. Calls at the same time share one write. */
  save(): Promise<void>
}

/**
 * Opens the records kept in the file at `path`; they are empty if there is no such file. Without a path they live in
 * memory only.
 *
 * @param processor is named in the error if the file cannot be read
 */
export async function openState<Records>(
  schema: z.ZodType<Records>,
  processor: string,
  path?: string,
): Promise<State<Records>> {
  const parsed = schema.safeParse(path === undefined ? {} : await read(processor, path))
  if (!parsed.success) {
    const problem = `the ${processor} emulator's state at ${path} is not of this version`
    throw new Error(`${problem}; npm run dev -- --reset forgets it\n${z.prettifyError(parsed.error)}`)
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
    // Whoever waited for a failed write has been told, so the next write is tried as after a good one.
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
