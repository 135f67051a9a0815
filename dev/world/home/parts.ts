import type { FilePaywall, PaywallFile } from '../../../cli/paywall-file/file.ts'
import type { PaywallFiles } from '../paywall-files.ts'
import type { World } from '../world.ts'
import type { Journal } from './journal.ts'

/** What home shows and acts on. */
export interface HomeParts {
  world: World
  files: Pick<PaywallFiles, 'current' | 'known'>
  /** The files that are wrong as they were saved last. */
  faults: () => { path: string; errors: string[] }[]
  /** Where the demo's shop is, if it is served. */
  shop: string | null
  journal: Journal
  /** As whom was bought last. */
  buyer: { email: string }
  /** How many milliseconds pass before an open page is looked at again: whether it has changed. */
  lookMs: number
  /** Home's own origin. */
  url: () => string
}

/** A paywall that home shows, the file that it stands in, and a key that opens it. */
export interface Shown {
  file: PaywallFile
  paywall: FilePaywall
  /** Null: every key of its mode was made elsewhere, and the database has only its hash. */
  key: string | null
}

/** All paywalls of all files. */
export function shownPaywalls({ files }: Pick<HomeParts, 'files'>): Shown[] {
  return files.current().flatMap((file) =>
    file.paywalls.map((paywall) => {
      const key = file.keys.find(({ secret, is_test: isTest }) => secret !== null && isTest === paywall.is_test)
      return { file, paywall, key: key?.secret ?? null }
    }),
  )
}
