import type { FilePaywall, PaywallFile } from '../../../cli/paywall-file/file.ts'
import type { PaywallFiles } from '../paywall-files.ts'
import type { World } from '../world.ts'
import type { Journal } from './journal.ts'

/** What home's pages and actions need. */
export interface HomeContext {
  world: World
  files: Pick<PaywallFiles, 'served' | 'known'>
  /** Reads again what is applied. */
  reload: () => Promise<void>
  /** The files that are invalid as last saved. */
  invalidFiles: () => { path: string; errors: string[] }[]
  /** The URL of the shop; null: not running. */
  shop: string | null
  journal: Journal
  /** The e-mail address of the last buyer, which the form suggests. */
  buyer: { email: string }
  /** Where visitors come from, which decides the prices that they see. */
  visitor: { country: string }
  /** How often open pages are checked for changes, in milliseconds. */
  pollMs: number
}

/** A paywall that home shows, with the file of its owner and an owner key for it. */
export interface ShownPaywall {
  file: PaywallFile
  paywall: FilePaywall
  /** Null: every key of its mode was created elsewhere, and the database has only its hash. */
  key: string | null
}

/** All paywalls that are applied. */
export function shownPaywalls({ files }: { files: Pick<PaywallFiles, 'served'> }): ShownPaywall[] {
  return files.served().flatMap((file) =>
    file.paywalls.map((paywall) => {
      const key = file.keys.find(({ secret, is_test: isTest }) => secret !== null && isTest === paywall.is_test)
      return { file, paywall, key: key?.secret ?? null }
    }),
  )
}
