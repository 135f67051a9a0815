import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { CommandError } from './command.ts'

const ROOT = join(import.meta.dirname, '..')
/** As wrangler.toml names it. */
const BUCKET = 'paywall-attachments'

/**
 * Writes an object of the attachments' bucket to a file. `wrangler` can reach R2 and the local world's bucket alike. The local
 * world's is in the folder ATTACHMENTS_FOLDER; where that is not set, the bucket is R2's.
 */
export async function downloadAttachment(key: string, path: string): Promise<void> {
  const problem = await runWrangler(['get', `${BUCKET}/${key}`, '--file', path])
  if (problem !== null) throw new CommandError([`wrangler could not read ${key}: ${problem}`])
}

/** Deletes an object of that bucket. */
export async function deleteAttachment(key: string): Promise<void> {
  const problem = await runWrangler(['delete', `${BUCKET}/${key}`])
  if (problem !== null) throw new CommandError([`wrangler could not delete ${key}: ${problem}`])
}

/** Null, or what wrangler says went wrong. */
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
