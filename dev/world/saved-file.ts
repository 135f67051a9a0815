import { styleText } from 'node:util'
import type { ApplyResult } from '../../cli/apply/apply.ts'
import type { Saved } from './paywall-files.ts'

/** What a terminal says when a paywall file was saved. */
export function savedLines({ path, outcome }: Saved<ApplyResult>): string {
  if ('errors' in outcome) {
    const head = styleText('red', `${path} was saved, and is wrong. What was applied before stays:`)
    return [head, ...outcome.errors.map((error) => `  ${error}`)].join('\n')
  }
  const { changes, newSecrets } = outcome.applied
  if (changes.length === 0) return `${path} was saved: nothing to change`
  const secrets = newSecrets.map(({ what, secret }) => `made, shown once: ${what}: ${secret}`)
  return [`${path} was saved and applied:`, ...[...changes, ...secrets].map((line) => `  ${line}`)].join('\n')
}
