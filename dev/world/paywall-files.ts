import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { CommandError } from '../../cli/command.ts'
import { type PaywallFile, readPaywallFile } from '../../cli/paywall-file/file.ts'
import { onlySwitched } from './former-paywalls.ts'

/** The paywall files that the world was started with, as they are now. */
export interface PaywallFiles {
  current(): PaywallFile[]
  /** The same, and the paywalls that have changed their processor since, as they were. */
  known(): PaywallFile[]
  /** Paywalls that have changed their processor before the world was started, as they were. */
  remember(former: PaywallFile[]): void
  /** Does something with each, one after the other. What it refuses is named by the file. */
  each<Result>(use: (file: PaywallFile) => Promise<Result>): Promise<Result[]>
  close(): void
}

const WATCH_MS = 250

/**
 * Reads the files and keeps an eye on them, so that the emulator knows a price as soon as the file does. Refuses files
 * that are wrong; one that becomes wrong later counts as it last was, for `paywall apply` tells what is wrong.
 */
export async function openPaywallFiles(
  paths: string[],
  environment: Record<string, string | undefined>,
): Promise<PaywallFiles> {
  const files = new Map<string, PaywallFile>()
  const former: PaywallFile[] = []
  const results = await Promise.all(paths.map((path) => read(path, environment)))
  const errors = results.flatMap((result, index) => ('file' in result ? [] : named(paths[index] ?? '', result.errors)))
  if (errors.length > 0) throw new CommandError(errors)
  for (const [index, path] of paths.entries()) take(path, results[index])

  function take(path: string, result: Awaited<ReturnType<typeof read>> | undefined): void {
    if (!result || !('file' in result)) return
    const before = files.get(path)
    if (before) former.push(onlySwitched(before, [result.file]))
    files.set(path, result.file)
  }

  for (const path of paths) {
    watchFile(path, { interval: WATCH_MS }, () => {
      void read(path, environment).then((result) => take(path, result))
    })
  }
  return {
    current: () => [...files.values()],
    known: () => [...files.values(), ...former.map((file) => onlySwitched(file, [...files.values()]))],
    remember: (others) => void former.push(...others),
    async each(use) {
      const results = []
      for (const [path, file] of files) results.push(await use(file).catch((error) => refuse(path, error)))
      return results
    },
    close: () => {
      for (const path of paths) unwatchFile(path)
    },
  }
}

async function read(path: string, environment: Record<string, string | undefined>) {
  try {
    return await readPaywallFile(await readFile(path, 'utf8'), environment)
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { errors: [`cannot be read: ${missing ? 'no such file' : error instanceof Error ? error.message : error}`] }
  }
}

function refuse(path: string, error: unknown): never {
  throw error instanceof CommandError ? new CommandError(named(path, error.sentences), { cause: error }) : error
}

function named(path: string, errors: string[]): string[] {
  return errors.map((error) => `${relative(process.cwd(), path)}: ${error}`)
}
