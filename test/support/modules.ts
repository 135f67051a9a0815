import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')

const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  types: ['node'],
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  strict: true,
}

/** Modules by file name. They may import each other and our packages. */
export type Modules = Record<string, string>

/** A folder of its own with these modules, which the caller removes. */
export function getFolder(modules: Modules): string {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-modules-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, source] of Object.entries(modules)) writeFileSync(join(folder, name), source)
  return folder
}

/** The TypeScript compiler's errors in these modules; '' if none. */
export async function typeErrors(modules: Modules): Promise<string> {
  const settings = { compilerOptions: COMPILER_OPTIONS, files: Object.keys(modules) }
  const folder = getFolder({ ...modules, 'tsconfig.json': JSON.stringify(settings) })
  try {
    const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
      outputOfFailure,
    )
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The compiler exits with an error if it found some. */
const outputOfFailure = (error: { stdout: string }) => error
