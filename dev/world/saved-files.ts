import { styleText } from 'node:util'
import type { ApplyResult } from '../../cli/apply/apply.ts'
import { changeText, warningText } from '../../cli/apply/changes-text.ts'
import type { Saved } from './paywall-files.ts'
import { printableKey } from './printable-key.ts'

/** The outcomes of saving paywall files. */
export interface SavedFiles {
  /** Records an outcome and reports it. */
  onSaved(saved: Saved<ApplyResult>): void
  /** The files that have errors as last saved. */
  invalidFiles(): { path: string; errors: string[] }[]
}

export function createSavedFiles(report: (saved: Saved<ApplyResult>) => void): SavedFiles {
  const wrong = new Map<string, string[]>()
  return {
    onSaved(saved) {
      if ('errors' in saved.outcome) wrong.set(saved.path, saved.outcome.errors)
      else wrong.delete(saved.path)
      report(saved)
    },
    invalidFiles: () => [...wrong].map(([path, errors]) => ({ path, errors })),
  }
}

/** Formats the outcome of saving a file for a terminal. */
export function formatSaved({ path, outcome }: Saved<ApplyResult>): string {
  if ('errors' in outcome) {
    const head = styleText('red', `${path} was saved with errors. The version applied before stays in effect:`)
    return [head, ...outcome.errors.map((error) => `  ${error}`)].join('\n')
  }
  const { changes, warnings, newSecrets } = outcome.applied
  if (changes.length === 0) return `${path} was saved: no changes to apply`
  const secrets = newSecrets.map(({ what, secret }) => `created, shown once: ${what}: ${printableKey(secret)}`)
  const lines = [...changes.map(changeText), ...warnings.map(warningText), ...secrets]
  return [`${path} was saved and applied:`, ...lines.map((line) => `  ${line}`)].join('\n')
}
