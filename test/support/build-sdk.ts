import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Builds the SDK, whose tests import it as its users do. */
export async function setup(): Promise<void> {
  await promisify(execFile)('node_modules/.bin/tsc', ['-p', 'tsconfig.json'], { cwd: 'sdk' })
}
