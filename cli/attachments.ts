import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { CommandError } from './command.ts'

const ROOT = join(import.meta.dirname, '..')
/** Its name in wrangler.toml. */
const BUCKET = 'paywall-attachments'

/**
 * Downloads an attachment to a file with `wrangler`: from the local world's bucket in the folder ATTACHMENTS_FOLDER, or from R2 if that
 * is not set.
 */
export async function downloadAttachment(key: string, path: string): Promise<void> {
  const problem = await runWrangler(['get', `${BUCKET}/${key}`, '--file', path])
  if (problem !== null) throw new CommandError([`wrangler could not read ${key}: ${problem}`])
}

/** Deletes an attachment from the same bucket. */
export async function deleteAttachment(key: string): Promise<void> {
  const problem = await runWrangler(['delete', `${BUCKET}/${key}`])
  if (problem !== null) throw new CommandError([`wrangler could not delete ${key}: ${problem}`])
}

/** Returns wrangler's error message; null on success. */
function runWrangler(args: string[]): Promise<string | null> {
  const folder = process.env.ATTACHMENTS_FOLDER
  const bucket = folder ? ['--local', '--persist-to', folder] : ['--remote']
  const command = [join(ROOT, 'node_modules/wrangler/bin/wrangler.js'), 'r2', 'object', ...args, ...bucket]
  const env = { ...process.env, WRANGLER_LOG: 'error', WRANGLER_SEND_METRICS: 'false' }
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve(error ? (stderr || stdout || error.message).trim() : null)
    })
  })
}
