import { styleText } from 'node:util'
import type { ApplyResult } from '../../cli/apply/apply.ts'
import { changeText } from '../../cli/apply/changes-text.ts'
import type { Saved } from './paywall-files.ts'
import { shownKey } from './shown-key.ts'

/** What came of the saves of paywall files. */
export interface SavedFiles {
  /** Remembers what came of one, and tells it. */
  onSaved(saved: Saved<ApplyResult>): void
  /** The files that are wrong as they were saved last. */
  faults(): { path: string; errors: string[] }[]
}

export function createSavedFiles(tell: (saved: Saved<ApplyResult>) => void): SavedFiles {
  const wrong = new Map<string, string[]>()
  return {
    onSaved(saved) {
      if ('errors' in saved.outcome) wrong.set(saved.path, saved.outcome.errors)
      else wrong.delete(saved.path)
      tell(saved)
    },
    faults: () => [...wrong].map(([path, errors]) => ({ path, errors })),
  }
}

/** What came of saving a file, in words for a terminal. */
export function savedText({ path, outcome }: Saved<ApplyResult>): string {
  if ('errors' in outcome) {
    const head = styleText('red', `${path} was saved, and is wrong. What was applied before stays:`)
    return [head, ...outcome.errors.map((error) => `  ${error}`)].join('\n')
  }
  const { changes, newSecrets } = outcome.applied
  if (changes.length === 0) return `${path} was saved: nothing to change`
  const secrets = newSecrets.map(({ what, secret }) => `made, shown once: ${what}: ${shownKey(secret)}`)
  const lines = [...changes.map(changeText), ...secrets]
  return [`${path} was saved and applied:`, ...lines.map((line) => `  ${line}`)].join('\n')
}
