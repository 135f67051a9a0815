import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Builds the SDK, whose tests import it as its users do. This tree's compiler makes what the SDK's own does, in a fifth of its time. */
export async function buildSdk(): Promise<void> {
  await promisify(execFile)('node_modules/.bin/tsc', ['-p', 'sdk/tsconfig.json'])
}
