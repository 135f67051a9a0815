import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT } from '../contenders/git.ts'
import type { Options } from '../options.ts'

const FOLDER = join(ROOT, '.local/bench')

/** The load average of the minute before the run: other load affects every figure. */
const [BUSY_BEFORE = 0] = loadavg()

/** The origin of a result. */
export function origin(options: Options, commits: Record<string, string>) {
  const [cpu] = cpus()
  return {
    what: options.what,
    date: options.date,
    commits,
    machine: {
      cores: cpus().length,
      cpu: cpu?.model ?? 'unknown',
      memory_gb: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
      load_average_before: Math.round(BUSY_BEFORE * 10) / 10,
    },
    rounds: options.rounds,
    seconds_a_round: options.seconds,
  }
}

/** A warning if the machine is busy, otherwise null. */
export function busyWarning(): string | null {
  if (BUSY_BEFORE < cpus().length / 2) return null
  return `the machine is busy: a load average of ${BUSY_BEFORE.toFixed(1)} on ${cpus().length} cores. Milliseconds will be too large`
}

/**
 * Writes a result or its picture and returns the path. The name contains the time of the run; existing files are never overwritten.
 */
export function writeResult(options: Options, extension: 'json' | 'svg', content: string): string {
  mkdirSync(FOLDER, { recursive: true })
  const against = options.against === undefined ? '' : `-against-${options.against.replaceAll(/[^\w.-]/g, '_')}`
  const path = join(FOLDER, `${options.date.replaceAll(':', '-')}-${options.what}${against}.${extension}`)
  writeFileSync(path, content, { flag: 'wx' })
  return relative(process.cwd(), path)
}
