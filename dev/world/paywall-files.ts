import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { CommandError } from '../../cli/command.ts'
import { type FilePaywall, type PaywallFile, readPaywallFile } from '../../cli/paywall-file/file.ts'
import type { Environment } from '../../cli/paywall-file/secret.ts'
import { shownPath } from './shown-path.ts'
import type { StoredFiles } from './stored-files.ts'

/** The paywall files that the world was started with, in their current version. */
export interface PaywallFiles {
  current(): PaywallFile[]
  /** What is applied, those of these files first. */
  served(): PaywallFile[]
  /** Everything in the current files and everything that is applied, as one file: what the emulators and the receiver have to know. */
  known(): PaywallFile[]
  /** Replaces what is applied. */
  remember(stored: StoredFiles): void
  /**
   * Applies each file in turn, and from then on each file that is saved, and calls `onSaved` with the outcome. `apply` returns the
   * file with the secrets that were made for it. Throws a `CommandError` if a file is refused now.
   */
  applyWith<Applied extends { file: PaywallFile }>(
    apply: (file: PaywallFile) => Promise<Applied>,
    onSaved: (saved: Saved<Applied>) => void,
  ): Promise<Applied[]>
  close(): void
}

/** The outcome of saving a file: it was applied, or it has errors, and the version applied before stays in effect. */
export interface Saved<Applied> {
  /** As a user would type it. */
  path: string
  outcome: { applied: Applied } | { errors: string[] }
}

interface PaywallFilesOptions {
  /** The values of `env:NAME` in the files. */
  environment: Environment
  /** Changes the text of each file before it is parsed. */
  rewrite?: (text: string) => string
}

const WATCH_MS = 250

/**
 * Reads the files and watches them, so that the emulators know a price as soon as the file has it. Throws if a file has errors;
 * a file that gets errors later counts in its last valid version.
 */
export async function openPaywallFiles(paths: string[], options: PaywallFilesOptions): Promise<PaywallFiles> {
  const files = new Map<string, PaywallFile>()
  let stored: StoredFiles = { files: [], former: [] }
  let onRead: (path: string, errors: string[]) => unknown = () => undefined
  const results = await Promise.all(paths.map((path) => read(path, options)))
  const errors = results.flatMap((result, index) => ('file' in result ? [] : named(paths[index] ?? '', result.errors)))
  if (errors.length > 0) throw new CommandError(errors)
  for (const [index, path] of paths.entries()) update(path, results[index])

  function update(path: string, result: Awaited<ReturnType<typeof read>> | undefined): void {
    if (result && 'file' in result) files.set(path, result.file)
  }

  for (const path of paths) {
    watchFile(path, { interval: WATCH_MS }, async () => {
      const result = await read(path, options)
      update(path, result)
      onRead(path, 'file' in result ? [] : result.errors)
    })
  }
  return {
    current: () => [...files.values()],
    served: () => sortedAs([...files.values()], stored.files),
    known: () => {
      const all = [...stored.files, ...files.values()]
      const paywalls = mergeVersions([...all.flatMap((file) => file.paywalls), ...stored.former])
      const unused = { owner: { email: '' }, team: [], reporting: { currency: null, rates: [] }, keys: [] }
      return [{ ...unused, webhooks: all.flatMap((file) => file.webhooks), paywalls }]
    },
    remember: (applied) => {
      stored = applied
    },
    async applyWith(apply, onSaved) {
      const applied = []
      for (const path of files.keys())
        applied.push(await applyTo(files, path, apply).catch((error) => refuse(path, error)))
      let applying = Promise.resolve()
      onRead = (path, errors) => {
        applying = applying
          .then(() => (errors.length > 0 ? { errors } : tryApply(() => applyTo(files, path, apply))))
          .then((outcome) => onSaved({ path: shownPath(path), outcome }))
      }
      return applied
    },
    close: () => {
      for (const path of paths) unwatchFile(path)
    },
  }
}

/** Sorts files by their owners, and their paywalls, as in `given`. Others come last. */
function sortedAs(given: PaywallFile[], files: PaywallFile[]): PaywallFile[] {
  const owners = given.map(({ owner }) => owner.email)
  const ids = given.flatMap(({ paywalls }) => paywalls.map(({ id }) => id))
  const rank = (list: string[], value: string) => (list.includes(value) ? list.indexOf(value) : list.length)
  return files
    .toSorted((one, other) => rank(owners, one.owner.email) - rank(owners, other.owner.email))
    .map((file) => ({
      ...file,
      paywalls: file.paywalls.toSorted((one, other) => rank(ids, one.id) - rank(ids, other.id)),
    }))
}

/** Keeps one version of a paywall at a processor: the first one, with the prices of all. */
function mergeVersions(paywalls: FilePaywall[]): FilePaywall[] {
  const versions = Map.groupBy(paywalls, ({ id, processor }) => `${id} ${processor.acquiring}`)
  return [...versions.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const prices = [first, ...others].flatMap((version) => version.prices.map((price) => [price.id, price] as const))
    return [{ ...first, prices: [...new Map(prices).values()] }]
  })
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

/** Returns every failure to the user who saved the file, even a database that is down. */
async function tryApply<Applied>(apply: () => Promise<Applied>): Promise<Saved<Applied>['outcome']> {
  try {
    return { applied: await apply() }
  } catch (error) {
    return { errors: error instanceof CommandError ? error.messages : [String(error)] }
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
  throw error instanceof CommandError ? new CommandError(named(path, error.messages), { cause: error }) : error
}

function named(path: string, errors: string[]): string[] {
  return errors.map((error) => `${shownPath(path)}: ${error}`)
}
