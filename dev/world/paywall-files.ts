import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { CommandError } from '../../cli/command.ts'
import { type PaywallFile, readPaywallFile } from '../../cli/paywall-file/file.ts'
import type { Environment } from '../../cli/paywall-file/secret.ts'
import { shownPath } from './shown-path.ts'
import { onlySwitched } from './switched-processors.ts'

/** The paywall files that the world was started with, as they are now. */
export interface PaywallFiles {
  current(): PaywallFile[]
  /** The same, and the paywalls that have changed their processor since, as they were. */
  known(): PaywallFile[]
  /** Paywalls that have changed their processor before the world was started, as they were. */
  remember(former: PaywallFile[]): void
  /**
   * Applies each, one after the other, and from then on each that is saved, of which `onSaved` is told. `apply` gives back the
   * file with the secrets that were made for it. Throws a `CommandError` if one is refused now.
   */
  applyWith<Applied extends { file: PaywallFile }>(
    apply: (file: PaywallFile) => Promise<Applied>,
    onSaved: (saved: Saved<Applied>) => void,
  ): Promise<Applied[]>
  close(): void
}

/** What came of saving a file: it was applied, or it is wrong, and what was applied before stays. */
export interface Saved<Applied> {
  /** As a person would type it. */
  path: string
  outcome: { applied: Applied } | { errors: string[] }
}

interface PaywallFilesOptions {
  /** Where `env:NAME` in them is looked up. */
  environment: Environment
  /** Changes the text of each before it is read; without it they are read as they are. */
  rewrite?: (text: string) => string
}

const WATCH_MS = 250

/**
 * Reads the files and keeps an eye on them, so that the emulators know a price as soon as the file does. Refuses files that
 * are wrong; one that becomes wrong later counts as it last was.
 */
export async function openPaywallFiles(paths: string[], options: PaywallFilesOptions): Promise<PaywallFiles> {
  const files = new Map<string, PaywallFile>()
  const former: PaywallFile[] = []
  let onRead: (path: string, errors: string[]) => unknown = () => undefined
  const results = await Promise.all(paths.map((path) => read(path, options)))
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
    watchFile(path, { interval: WATCH_MS }, async () => {
      const result = await read(path, options)
      take(path, result)
      onRead(path, 'file' in result ? [] : result.errors)
    })
  }
  return {
    current: () => [...files.values()],
    known: () => [...files.values(), ...former.map((file) => onlySwitched(file, [...files.values()]))],
    remember: (others) => void former.push(...others),
    async applyWith(apply, onSaved) {
      const applied = []
      for (const path of files.keys())
        applied.push(await applyTo(files, path, apply).catch((error) => refuse(path, error)))
      let turn = Promise.resolve()
      onRead = (path, errors) => {
        turn = turn
          .then(() => (errors.length > 0 ? { errors } : applyOrSay(() => applyTo(files, path, apply))))
          .then((outcome) => onSaved({ path: shownPath(path), outcome }))
      }
      return applied
    },
    close: () => {
      for (const path of paths) unwatchFile(path)
    },
  }
}

async function applyTo<Applied extends { file: PaywallFile }>(
  files: Map<string, PaywallFile>,
  path: string,
  apply: (file: PaywallFile) => Promise<Applied>,
): Promise<Applied> {
  const file = files.get(path)
  if (!file) throw new Error(`${path} was never read`)
  const applied = await apply(file)
  files.set(path, applied.file)
  return applied
}

/** Whatever hinders it is said to the person who has saved the file: a database that is just down, too. */
async function applyOrSay<Applied>(apply: () => Promise<Applied>): Promise<Saved<Applied>['outcome']> {
  try {
    return { applied: await apply() }
  } catch (error) {
    return { errors: error instanceof CommandError ? error.sentences : [String(error)] }
  }
}

async function read(path: string, { environment, rewrite = (text) => text }: PaywallFilesOptions) {
  try {
    return await readPaywallFile(rewrite(await readFile(path, 'utf8')), environment)
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { errors: [`cannot be read: ${missing ? 'no such file' : error instanceof Error ? error.message : error}`] }
  }
}

function refuse(path: string, error: unknown): never {
  throw error instanceof CommandError ? new CommandError(named(path, error.sentences), { cause: error }) : error
}

function named(path: string, errors: string[]): string[] {
  return errors.map((error) => `${shownPath(path)}: ${error}`)
}
