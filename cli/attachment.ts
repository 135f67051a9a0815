import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from './refusal.ts'

const ROOT = join(import.meta.dirname, '..')
/** As wrangler.toml names it. */
const BUCKET = 'paywall-attachments'

/**
 * Writes an object of the attachments' bucket to a file, by `wrangler`, which knows the way to R2 and to the local
 * world's. ATTACHMENTS_FOLDER is where that one is kept; without it the bucket is the one in the cloud.
 */
export async function fetchAttachment(key: string, path: string, size: number): Promise<void> {
  const folder = process.env.ATTACHMENTS_FOLDER
  const where = folder ? ['--local', '--persist-to', folder] : ['--remote']
  const args = ['r2', 'object', 'get', `${BUCKET}/${key}`, '--file', path, ...where]
  const failure = await wrangler(args)
  if (failure !== null) throw new Refusal([`wrangler could not read ${key}: ${failure}`])
  const { size: written } = await stat(path)
  if (written !== size) throw new Refusal([`${path} has ${written} bytes, but the attachment has ${size}`])
}

/** Null, or what wrangler says went wrong. */
function wrangler(args: string[]): Promise<string | null> {
  const command = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
  const env = { ...process.env, WRANGLER_LOG: 'error', WRANGLER_SEND_METRICS: 'false' }
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve(error ? (stderr || stdout || error.message).trim() : null)
    })
  })
}
