import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file atomically, readable by its owner only. */
export function writePrivately(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, path)
}

/** The JSON in a file; undefined if there is no such file. */
export function readJsonFile(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
