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

/** What the TypeScript compiler says of these modules, by file name, which may import each other and our packages; '' if nothing. */
export async function typeErrors(modules: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-types-'))
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: Object.keys(modules) }),
    )
    for (const [name, source] of Object.entries(modules)) writeFileSync(join(folder, name), source)
    const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch(saidAnyway)
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The compiler ends with an error if it has found some. */
const saidAnyway = (error: { stdout: string }) => error
