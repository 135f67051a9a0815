import type { ApplyResult } from '../../cli/apply/apply.ts'
import { changeJson } from '../../cli/apply/changes.ts'
import { formatLogEntry, type LogEntry } from './log-line.ts'
import type { Saved } from './paywall-files.ts'
import { printableKey } from './printable-key.ts'
import { formatSaved } from './saved-files.ts'
import { type Start, welcome, welcomeJson } from './welcome.ts'

/** The output of `npm run dev`. */
export interface Report {
  /** Everything is up. */
  ready(start: Start): void
  saved(saved: Saved<ApplyResult>): void
  logged(entry: LogEntry): void
  cronFailed(error: unknown): void
}

/** For people, as text. */
export const textReport: Report = {
  ready(start) {
    console.log(welcome(start))
    console.log(`ready ${start.world.url}`)
  },
  saved: (saved) => console.error(formatSaved(saved)),
  logged: (entry) => console.error(formatLogEntry(entry)),
  cronFailed: (error) => console.error(error),
}

/** For programs: lines of JSON, each with a `type`. */
export const jsonReport: Report = {
  ready: (start) => printJson({ type: 'ready', ...welcomeJson(start) }),
  saved: ({ path, outcome }) => printJson({ type: 'saved', path, ...outcomeJson(outcome) }),
  logged: printJson,
  cronFailed: (error) => printJson({ type: 'cron_failed', message: String(error) }),
}

function printJson(entry: object): void {
  console.log(JSON.stringify(entry))
}

function outcomeJson(outcome: Saved<ApplyResult>['outcome']) {
  if ('errors' in outcome) return outcome
  const { changes, warnings, newSecrets } = outcome.applied
  return {
    changes: changes.map(changeJson),
    warnings,
    new_secrets: newSecrets.map((made) => ({ ...made, secret: printableKey(made.secret) })),
  }
}
